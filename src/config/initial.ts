import { readFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { packageRoot } from '../product.ts'
import type { Partner } from './partners.ts'

/** What a new configuration says that the one in the package does not; null leaves the line as it is. */
export type InitialSettings = {
  readonly host: string
  readonly port: number
  readonly publicUrl: string | null
  readonly dataDirectory: string | null
}

/** The configuration of the package, comments included, with the settings of this gateway. */
export function initialConfiguration(settings: InitialSettings): string {
  const { host, port, publicUrl, dataDirectory } = settings
  const template = readFileSync(new URL('config/sandgate.yaml', packageRoot()), 'utf8')
  // The partner listener stands before the operator's, so the first host and the first port are its own.
  const changes: readonly (readonly [RegExp, string | number | null])[] = [
    [/^( {2})(host:) \S+$/m, host],
    [/^( {2})(port:) \S+$/m, port],
    [/^( {2})# (publicUrl:) \S+/m, publicUrl],
    [/^( {2})(path:) \S+$/m, dataDirectory],
  ]
  return changes.reduce((text, [line, value]) => {
    if (!line.test(text)) throw new Error(`config/sandgate.yaml of the package has no line like ${line}`)
    return value === null ? text : text.replace(line, (_, indent, key) => `${indent}${key} ${scalar(value)}`)
  }, template)
}

/** The list of the partners of a new gateway. */
export function initialPartners(partners: readonly Partner[]): string {
  return `# The partners of the sandbox. Saved changes take effect within seconds; counters go on.
#
# A sandbox key is kept as its SHA-256 only. To make another one for a partner and add it here:
#   sandgate keys create --partner ID --write
# caps: and rateLimits: of a partner override what sandgate.yaml says for everybody.

${stringify(partners, { flowCollectionPadding: false, lineWidth: 0 })}`
}

/** Every JSON text is YAML as well; what needs no quotes gets none. */
function scalar(value: string | number): string {
  const text = String(value)
  return /^[A-Za-z0-9./][A-Za-z0-9./_-]*$/.test(text) ? text : JSON.stringify(value)
}
