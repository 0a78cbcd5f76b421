/** The type of a Content-Type in lower case, without parameters; undefined when it is not a media type. */
export function mediaType(contentType: string): string | undefined {
  const end = contentType.indexOf(';')
  const type = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
  return /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type) ? type : undefined
}

/** Whether a Content-Type is JSON in UTF-8: application/json, alone or with charset=utf-8. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  if (contentType === undefined || mediaType(contentType) !== 'application/json') return false
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(contentType)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}
