import { existsSync, readFileSync } from 'node:fs'

/**
 * The directory of the package, found upwards: a module may run from src, from dist or from a bundle of it, and the
 * files that are looked up by name stand where the package stands.
 */
export function packageRoot(): URL {
  let directory = new URL('.', import.meta.url)
  while (!existsSync(new URL('package.json', directory))) {
    const above = new URL('..', directory)
    if (above.href === directory.href) throw new Error('package.json is missing from the installation')
    directory = above
  }
  return directory
}

/** The version in package.json. */
export function productVersion(): string {
  const text = readFileSync(new URL('package.json', packageRoot()), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}

/** How a cassette names what wrote it. */
export function product(): string {
  return `sandgate/${productVersion()}`
}
