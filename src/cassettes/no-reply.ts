import type { Interaction, NoReply } from './interaction.ts'

/** Why an exchange has no reply, in words that follow its request. */
const SENTENCES: Readonly<Record<NoReply, string>> = {
  'client-left': 'its client did not wait for the answer',
  unanswered: 'the sandbox gave no answer',
  cut: 'its answer broke off',
  undecodable: 'its answer was compressed and cannot be unpacked as a whole',
  'unreadable-coding': 'its answer came in a content coding that cannot be read here',
  'not-kept': 'the HAR does not hold all of its answer',
  'beyond-bound': 'its answer is longer or deeper than is looked through for secrets',
  'from-cache': 'a browser took its answer from a cache (304)',
}

/** What the sandbox has said and the recording does not hold; the others are what really happened. */
const FAULTS: ReadonlySet<NoReply> = new Set([
  'cut',
  'undecodable',
  'unreadable-coding',
  'not-kept',
  'from-cache',
  'beyond-bound',
])

/** An exchange that was kept without a reply, as it is named at the end of a recording. */
export type WithoutReply = {
  /** Its sequence in the cassette. */
  readonly entry: number
  /** Method and target, redacted. */
  readonly request: string
  readonly reason: string
  /** The cassette lacks what the sandbox has said. */
  readonly isFault: boolean
}

export function noReplySentence(noReply: NoReply | undefined): string {
  return noReply === undefined ? 'the recording ended before its answer' : SENTENCES[noReply]
}

export function withoutReply(interactions: readonly Interaction[]): WithoutReply[] {
  return interactions.flatMap(({ sequence, request, reply, noReply }) => {
    if (reply !== undefined) return []
    const isFault = noReply !== undefined && FAULTS.has(noReply)
    const asked = `${request.method} ${request.target}`
    return [{ entry: sequence, request: asked, reason: noReplySentence(noReply), isFault }]
  })
}

const SHOWN = 20

/** A line for each, as many as a person reads. */
export function withoutReplyLines(list: readonly WithoutReply[]): string[] {
  const lines = list
    .slice(0, SHOWN)
    .map(({ entry, request, reason }) => `without a reply: entry ${entry}, ${request}: ${reason}`)
  return list.length > SHOWN ? [...lines, `without a reply: ${list.length - SHOWN} more`] : lines
}
