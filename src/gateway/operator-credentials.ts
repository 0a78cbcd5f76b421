import { createHash, timingSafeEqual } from 'node:crypto'
import { bearerToken } from '../http/authorization.ts'

/** Whether an Authorization header carries the operator's token. Both take the same time, whatever was sent. */
export type OperatorCredentials = {
  readonly bears: (authorization: string | undefined) => boolean
  /** As the password of HTTP Basic, whatever the name: what a browser asks its reader for. */
  readonly hasPassword: (authorization: string | undefined) => boolean
}

export function operatorCredentials(token: string): OperatorCredentials {
  const digest = sha256(token)
  const isToken = (text: string | undefined) => timingSafeEqual(sha256(text ?? ''), digest)
  return {
    bears: (authorization) => isToken(bearerToken(authorization)),
    hasPassword: (authorization) => isToken(basicPassword(authorization)),
  }
}

function basicPassword(authorization = ''): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon < 0 ? undefined : pair.slice(colon + 1)
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
