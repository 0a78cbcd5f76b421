import type { Config } from '../config/schema.ts'
import { callEither, type OperatorAnswer, operatorUrl } from './operator-client.ts'

/** What a running gateway said about a change of its partners' file. */
export type HandOver =
  | { readonly kind: 'taken' }
  /** `message` is a whole sentence. */
  | { readonly kind: 'not-taken'; readonly message: string }

/**
 * Tells the running gateway what a command has changed in `file`: the one on the data directory, else whoever answers
 * as the operator listener of the configuration. A gateway that reads other files takes nothing.
 */
export async function handOver(
  config: Config,
  path: '/keys/revoke' | '/configuration/reload',
  body: { readonly file: string; readonly keyId?: string },
): Promise<HandOver> {
  const call = { method: 'POST', path, body } as const
  const answer = await callEither(config, undefined, call)
  if (answer.kind === 'answered') return takenOr(answer)
  const nowhere = `no gateway runs on the data directory ${config.store.path}, and nothing answers at ${operatorUrl(config.operator)}`
  const reason = answer.kind === 'absent' ? nowhere : answer.message
  return { kind: 'not-taken', message: `No running gateway was reached: ${reason}.` }
}

/** A gateway that has read the files and found mistakes in them keeps what it had. */
function takenOr({ body }: Extract<OperatorAnswer, { kind: 'answered' }>): HandOver {
  const { ok, errors = [] } = body as { ok?: boolean; errors?: readonly string[] }
  if (ok !== false) return { kind: 'taken' }
  return { kind: 'not-taken', message: `The running gateway found mistakes: ${errors.join('; ')}` }
}
