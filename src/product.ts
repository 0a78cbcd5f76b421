import { readFileSync } from 'node:fs'

/** The version in package.json, which is one level above this file, in src as in dist. */
export function productVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}

/** How a cassette names what wrote it. */
export function product(): string {
  return `sandgate/${productVersion()}`
}
