import { type Refusal, refuse } from '../errors/refusal.ts'
import { idempotencyKey, isUuidV4 } from '../http/idempotency-key.ts'

export type KeyJudgement =
  | { readonly key: string; readonly refusal?: never }
  | { readonly key?: never; readonly refusal: Refusal }

/**
 * The key of a POST. Two header lines arrive joined by a comma, which no UUID has, so a doubled key is invalid like
 * any other text.
 */
export function judgeIdempotencyKey(header: string | string[] | undefined): KeyJudgement {
  if (header === undefined) {
    return {
      refusal: refuse(
        'IDEMPOTENCY_KEY_REQUIRED',
        'This operation needs an Idempotency-Key header with a UUID v4.',
      ),
    }
  }
  const key = idempotencyKey(String(header))
  if (isUuidV4(key)) return { key }
  return {
    refusal: refuse('IDEMPOTENCY_KEY_INVALID', 'The Idempotency-Key header must be one UUID v4.', {
      errors: [
        {
          header: 'Idempotency-Key',
          detail: 'must be one UUID v4 such as 1f0e9c52-6b1d-4c8e-9a57-2f7c1c1f7d10',
        },
      ],
    }),
  }
}
