import { type Path, pathText } from './paths.ts'

/** One mistake. `file` is a file, or in place of one the variable (`SANDGATE_…`) or flag (`--port`) that is wrong. */
export type ConfigError = {
  readonly file: string
  /** From 1; null where there is no position, such as for a missing file or a variable. */
  readonly line: number | null
  readonly column: number | null
  /** `listen.port`; empty when it is about the file as a whole. */
  readonly path: string
  readonly message: string
}

/** Where something is written. */
export type Place = Pick<ConfigError, 'file' | 'line' | 'column'>

export function configError(place: Place, path: Path, message: string): ConfigError {
  return { file: place.file, line: place.line, column: place.column, path: pathText(path), message }
}

/** `config/sandgate.yaml:12:7: listen.port: must be …`, one line for each error. */
export function formatConfigErrors(errors: readonly ConfigError[]): string {
  return errors.map(formatConfigError).join('\n')
}

function formatConfigError({ file, line, column, path, message }: ConfigError): string {
  const position = line === null ? '' : column === null ? `:${line}` : `:${line}:${column}`
  return `${file}${position}: ${path === '' ? '' : `${path}: `}${message}`
}
