import { createHmac } from 'node:crypto'

export type Fingerprinted = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly mediaType: string
  readonly requestedOutcome: string | undefined
  readonly body: Buffer
}

/**
 * A keyed digest of what makes two requests the same request: equal only for byte-identical ones. Keyed,
 * because amounts and phone numbers can be guessed from an unkeyed one.
 */
export function fingerprint(secret: Buffer, request: Fingerprinted): string {
  const { method, path, query, mediaType, requestedOutcome = '' } = request
  return createHmac('sha256', secret)
    .update(`${method} ${path}\n${query}\n${mediaType}\n${requestedOutcome}\n`)
    .update(request.body)
    .digest('base64url')
}
