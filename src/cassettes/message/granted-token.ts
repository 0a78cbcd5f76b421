import { createHash } from 'node:crypto'
import { bearerToken } from '../../http/authorization.ts'
import { type HeaderLine, headerOf } from '../../http/header-lines.ts'
import type { CapturedReply } from '../interaction.ts'
import { fieldValue, readableBody } from './readable-body.ts'

/** What a token is known by: it is kept nowhere itself. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

export function bearerOf(headers: readonly HeaderLine[]): string | undefined {
  return bearerToken(headerOf(headers, 'authorization'))
}

/** The access token that an exchange has granted, and for how many seconds. */
export function grantOf(
  reply: CapturedReply,
): { readonly token: string; readonly seconds: number | undefined } | undefined {
  if (reply.status !== 200) return undefined
  const { fields } = readableBody(reply)
  const token = fieldValue(fields, '/access_token')
  const seconds = Number(fieldValue(fields, '/expires_in'))
  return token === undefined || token === ''
    ? undefined
    : { token, seconds: Number.isFinite(seconds) ? seconds : undefined }
}
