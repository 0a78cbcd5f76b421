import type { CapturedReply } from '../cassettes/interaction.ts'
import { plainReply } from '../cassettes/message/encoding.ts'
import { type Move, moveReply, moveReplyLines, urlsOf } from '../cassettes/message/urls.ts'

/**
 * How URLs are moved between a client, which knows the recorder alone, the upstream, and the cassette, whose URLs have
 * the upstream's origin without the path that its own paths begin with.
 */
export type Urls = {
  /** In what the client is sent. */
  readonly toClient: Move
  /** In what the upstream is sent. */
  readonly toUpstream: Move
  /** In a request and a reply as they are recorded. */
  readonly recordedRequest: Move
  readonly recordedReply: Move
}

export function urlsBetween(own: string, upstream: URL, base: string): Urls {
  const theirs = upstream.origin + base
  return {
    toClient: { from: theirs, to: own },
    toUpstream: { from: own, to: theirs },
    recordedRequest: { from: own, to: upstream.origin },
    recordedReply: { from: theirs, to: upstream.origin },
  }
}

/** A reply as it is recorded: for a replay, cookies are of nobody's domain. */
export function recordedReply(reply: CapturedReply, urls: Urls | undefined): CapturedReply {
  if (!urls) return reply
  const { from, to } = urls.recordedReply
  if (from === to) return { ...reply, headers: moveReplyLines(reply.headers, urls.recordedReply) }
  const plain = plainReply(reply)
  return moveReply(plain.kind === 'whole' ? plain.reply : reply, urls.recordedReply)
}

/** The URLs of a reply that lead a client past the recorder, when they are left as they are. */
export function urlsPast(reply: CapturedReply, upstream: string): readonly string[] {
  const plain = plainReply(reply)
  return plain.kind === 'whole' ? urlsOf(plain.reply, { from: upstream, to: '' }) : []
}
