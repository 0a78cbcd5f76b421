/** The token of `Authorization: Bearer …` (RFC 6750 section 2.1); undefined for every other scheme. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+)/i.exec(authorization)?.[1]
}
