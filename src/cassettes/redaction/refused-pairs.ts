import { createHmac, randomBytes, scrypt, scryptSync } from 'node:crypto'
import { headerOf } from '../../http/header-lines.ts'
import { readBasic } from '../../tokens/basic.ts'
import type { CapturedReply, CapturedRequest, PairDigest } from '../interaction.ts'
import { fieldValue, readableBody } from '../message/readable-body.ts'

/** A client and the secret that it has sent. Never written anywhere. */
export type CredentialPair = { readonly clientId: string; readonly secret: string }

/** 32 MiB and some 80 ms for a guess: a wrong secret is often a right one with a slip in it. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } as const
const DIGEST_BYTES = 32
const SALT_BYTES = 16

export function freshSalt(): string {
  return randomBytes(SALT_BYTES).toString('base64url')
}

/**
 * The pairs that a token exchange may be read as: one in its body, or one or two of HTTP Basic, whose halves are
 * form-encoded by the specification and plain in most clients. The first is the one that a digest is made of.
 */
export function pairsOf(request: CapturedRequest): readonly CredentialPair[] {
  const basic = readBasic(headerOf(request.headers, 'authorization'))
  if (basic.kind === 'pairs')
    return basic.pairs.map(({ clientId, clientSecret }) => ({ clientId, secret: clientSecret }))
  const { fields } = readableBody(request)
  const clientId = fieldValue(fields, '/client_id')
  const secret = fieldValue(fields, '/client_secret')
  return clientId && secret ? [{ clientId, secret }] : []
}

/** Whether a token endpoint says that this client and this secret do not belong together. */
export function refusesPair(reply: CapturedReply): boolean {
  if (reply.status !== 401) return false
  const { fields } = readableBody(reply)
  return fieldValue(fields, '/error') === 'invalid_client' || fieldValue(fields, '/code') === 'INVALID_CLIENT'
}

/** Salted and slow, or keyed. It takes its time: for a thread that has no traffic to carry. */
export function digestPair(pair: CredentialPair, salt: string, cassetteKey: string | undefined): PairDigest {
  if (cassetteKey !== undefined) return keyedPair(pair, cassetteKey)
  const digest = scryptSync(textOf(pair), Buffer.from(salt, 'base64url'), DIGEST_BYTES, COST)
  return { kind: 'scrypt', salt, digest: digest.toString('base64url') }
}

export function keyedPair(pair: CredentialPair, cassetteKey: string): PairDigest {
  const digest = createHmac('sha256', cassetteKey)
    .update(`client-pair\0${textOf(pair)}`)
    .digest('base64url')
  return { kind: 'hmac', digest }
}

/** The same digest, made off the event loop. */
export function scryptPair(pair: CredentialPair, salt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(textOf(pair), Buffer.from(salt, 'base64url'), DIGEST_BYTES, COST, (error, digest) =>
      error ? reject(error) : resolve(digest.toString('base64url')),
    )
  })
}

/** The length says where the first half ends, so that two pairs are never one text. */
function textOf({ clientId, secret }: CredentialPair): string {
  return `${clientId.length}:${clientId}${secret}`
}
