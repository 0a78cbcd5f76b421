import { type HeaderLine, headerOf } from './header-lines.ts'

/** The essence of a Content-Type or of an item of Accept: lower case, without parameters. Nothing is judged. */
export function essence(contentType: string): string {
  const end = contentType.indexOf(';')
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
}

/** The essence of the Content-Type among header lines; empty when there is none. */
export function mediaTypeOf(lines: readonly HeaderLine[]): string {
  return essence(headerOf(lines, 'content-type') ?? '')
}

/** The type of a Content-Type in lower case, without parameters; undefined when it is not a media type. */
export function mediaType(contentType: string): string | undefined {
  const type = essence(contentType)
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type) ? type : undefined
}

/** Whether a Content-Type is JSON in UTF-8: application/json, alone or with charset=utf-8. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  if (contentType === undefined || mediaType(contentType) !== 'application/json') return false
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(contentType)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}
