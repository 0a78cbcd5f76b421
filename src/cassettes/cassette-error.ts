import { systemCode } from '../system-error.ts'

/** Each way in which a cassette can be unusable; a reader decides by `reason`, a person by the message. */
export type CassetteFault =
  | 'missing'
  | 'empty'
  | 'unreadable'
  | 'not-utf8'
  | 'undecodable'
  | 'foreign'
  | 'newer'
  /** Recorded with another cassette key than the one at hand. */
  | 'other-key'
  | 'incomplete-entry'
  | 'broken-chain'
  /** An edit has moved what is bound or redacted from its place. */
  | 'moved-place'
  /** Another recorder writes this cassette. */
  | 'busy'
  /** A journal of a recorder that ended without finishing is in the way. */
  | 'unfinished'
  /** The recording overflowed, or its disk was full: what it holds is not all that passed. */
  | 'incomplete-recording'
  /** Nothing that was recorded had a reply. */
  | 'unanswered'
  /** A secret would have reached the file. */
  | 'secret-found'
  | 'unwritable'

export type CassettePlace = {
  /** From 1, in the order of the file. */
  readonly entry?: number
  /** From 1. */
  readonly line?: number
}

export class CassetteError extends Error {
  override readonly name = 'CassetteError'
  readonly reason: CassetteFault
  readonly path: string
  readonly place: CassettePlace
  /** The message without path and place. */
  readonly detail: string

  constructor(
    reason: CassetteFault,
    path: string,
    detail: string,
    place: CassettePlace = {},
    options: ErrorOptions = {},
  ) {
    super(`${path}${shown(place)}: ${detail}`, options)
    this.reason = reason
    this.path = path
    this.place = place
    this.detail = detail
  }
}

/** A fault of the disk, or whatever else went wrong while a cassette was written. `what` may not be done. */
export function unwritable(path: string, cause: unknown, what = 'cannot be written'): CassetteError {
  const detail = `${what} (${systemCode(cause) ?? String(cause)}).`
  return new CassetteError('unwritable', path, detail, {}, { cause })
}

function shown({ entry, line }: CassettePlace): string {
  return (line === undefined ? '' : `:${line}`) + (entry === undefined ? '' : ` (entry ${entry})`)
}
