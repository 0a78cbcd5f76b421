import type { Interaction, NoReply } from './interaction.ts'
import type { WithoutReply } from './without-reply.ts'

type Reason = {
  /** In words that follow the request. */
  readonly sentence: string
  /** The sandbox has said something that the recording does not hold; the others are what really happened. */
  readonly isFault: boolean
}

const REASONS: Readonly<Record<NoReply, Reason>> = {
  'client-left': { sentence: 'its client did not wait for the answer', isFault: false },
  unanswered: { sentence: 'the sandbox gave no answer', isFault: false },
  cut: { sentence: 'its answer broke off', isFault: true },
  undecodable: { sentence: 'its answer was compressed and cannot be unpacked as a whole', isFault: true },
  'unreadable-coding': {
    sentence: 'its answer came in a content coding that cannot be read here',
    isFault: true,
  },
  'not-kept': { sentence: 'the HAR does not hold all of its answer', isFault: true },
  'beyond-bound': {
    sentence: 'its answer is longer or deeper than is looked through for secrets',
    isFault: true,
  },
  'from-cache': { sentence: 'a browser took its answer from a cache (304)', isFault: true },
}

export function noReplySentence(noReply: NoReply | undefined): string {
  return noReply === undefined ? 'the recording ended before its answer' : REASONS[noReply].sentence
}

export function withoutReply(interactions: readonly Interaction[]): WithoutReply[] {
  return interactions.flatMap(({ sequence, request, reply, noReply }) => {
    if (reply !== undefined) return []
    const isFault = noReply !== undefined && REASONS[noReply].isFault
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
