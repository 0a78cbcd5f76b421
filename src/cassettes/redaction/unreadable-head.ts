import type { HeaderLine } from '../../http/header-lines.ts'
import { decodePercentOrKeep } from '../../http/percent.ts'
import type { CapturedRequest, Place, Redaction } from '../interaction.ts'
import { queryFields } from '../message/body-fields.ts'
import { type Beyond, withinBounds } from '../message/bounds.ts'
import { latin1 } from '../message/bytes.ts'
import { shortDigest } from './body-digest.ts'
import { learnSecrets, type RedactionContext } from './context.ts'
import { newWords } from './known-words.ts'
import { noteTold } from './told-people.ts'

/** A head without what nobody can say what is in it, and what was taken out. */
type Readable<T> = { readonly message: T; readonly redactions: readonly Redaction[] }

/** What `work` makes; of a head that is beyond a bound, what it makes of the rest of it. */
export function withoutUnreadable<T, R extends { readonly redactions: readonly Redaction[] } | undefined>(
  message: T,
  work: (message: T) => R,
  readable: (message: T) => Readable<T>,
): R {
  return withinBounds(
    () => work(message),
    () => {
      const { message: rest, redactions } = readable(message)
      const made = work(rest)
      return made && { ...made, redactions: [...redactions, ...made.redactions] }
    },
  )
}

/**
 * A target or a value of a header that is packed in too many layers or holds too many secrets ends no recording: one
 * short text stands for it. That of a target tells it from others, as the digest of a body does.
 */
export function readableRequest(
  request: CapturedRequest,
  context: RedactionContext,
): Readable<CapturedRequest> {
  const { target, headers } = request
  const beyond = beyondOf(() => {
    const bytes = latin1(target)
    const fields = queryFields(bytes)
    learnSecrets(context, [], fields, newWords())
    noteTold(fields, '', context, newWords())
    context.secrets.find(bytes)
    context.secrets.find(latin1(decodePercentOrKeep(target)))
  })
  const lines = readableLines(headers, 'request-header', context)
  return {
    message: {
      ...request,
      target: beyond === undefined ? target : `/redacted-beyond/${shortDigest(Buffer.from(target))}`,
      headers: lines.message,
    },
    redactions: [
      ...(beyond === undefined ? [] : [redactionOf({ part: 'path', pointer: '' }, beyond)]),
      ...lines.redactions,
    ],
  }
}

export function readableLines(
  lines: readonly HeaderLine[],
  part: 'request-header' | 'reply-header',
  { secrets, standIns }: RedactionContext,
): Readable<readonly HeaderLine[]> {
  const redactions: Redaction[] = []
  const message = lines.map((line): HeaderLine => {
    const [name, value] = line
    const beyond = beyondOf(() => secrets.find(latin1(value)))
    if (beyond === undefined) return line
    redactions.push(redactionOf({ part, pointer: `/${name.toLowerCase()}` }, beyond))
    return [name, standIns.secret('beyond', value)]
  })
  return { message, redactions }
}

function beyondOf(work: () => unknown): Beyond | undefined {
  return withinBounds<Beyond | undefined>(
    () => void work(),
    (beyond) => beyond,
  )
}

function redactionOf(place: Place, beyond: Beyond): Redaction {
  return { place, kind: 'secret', rule: `beyond ${beyond}` }
}
