import type { CapturedReply, CapturedRequest } from '../interaction.ts'
import type { EndItem, Item, OpenItem, ToRecorder } from './messages.ts'

/** What is counted for an item beside its body: header lines, names, bookkeeping. */
const ITEM_BYTES = 1024
const MAX_BATCH = 256

type Part = { readonly item: Item; readonly body: Uint8Array; readonly cost: number }

/**
 * What waits for the recorder. The bodies of a batch travel as one block of bytes that is handed over, not copied
 * again.
 */
export type Queue = {
  /** False when there is no room: the item was not taken. */
  readonly open: (item: Omit<OpenItem, 'body'>, body: CapturedRequest['body']) => boolean
  readonly end: (item: Omit<EndItem, 'reply'>, reply: CapturedReply | undefined) => boolean
  readonly learn: (secret: string) => boolean
  readonly next: () => (ToRecorder & { readonly kind: 'batch' }) | undefined
  /** The batch has been dealt with: its room is free again. */
  readonly release: (number: number) => void
  readonly clear: () => void
  readonly bytes: () => number
  readonly waiting: () => number
  /** Batches that were handed over and not yet released. */
  readonly inFlight: () => number
}

const NOTHING = new Uint8Array(0)

export function createQueue(maxBytes: number): Queue {
  let parts: Part[] = []
  let bytes = 0
  let number = 0
  const inFlight = new Map<number, number>()

  const push = (item: Item, body: Uint8Array): boolean => {
    const cost = ITEM_BYTES + body.length
    if (bytes + cost > maxBytes) return false
    bytes += cost
    parts.push({ item, body, cost })
    return true
  }

  return {
    open: (item, body) => push({ open: { ...item, body: [0, body.length] } }, body),
    end: (item, reply) => {
      if (reply === undefined) return push({ end: { ...item, reply } }, NOTHING)
      const { status, headers, body } = reply
      return push({ end: { ...item, reply: { status, headers, body: [0, body.length] } } }, body)
    },
    learn: (secret) => push({ learn: secret }, NOTHING),
    next: () => {
      if (parts.length === 0) return undefined
      const batch = parts.slice(0, MAX_BATCH)
      parts = parts.slice(MAX_BATCH)
      number++
      inFlight.set(
        number,
        batch.reduce((sum, { cost }) => sum + cost, 0),
      )
      const block = new Uint8Array(batch.reduce((sum, { body }) => sum + body.length, 0))
      let offset = 0
      const items = batch.map(({ item, body }) => {
        block.set(body, offset)
        const placed = at(item, offset)
        offset += body.length
        return placed
      })
      return { kind: 'batch', number, items, bytes: block }
    },
    release: (released) => {
      bytes -= inFlight.get(released) ?? 0
      inFlight.delete(released)
    },
    clear: () => {
      bytes -= parts.reduce((sum, { cost }) => sum + cost, 0)
      parts = []
    },
    bytes: () => bytes,
    waiting: () => parts.length,
    inFlight: () => inFlight.size,
  }
}

function at(item: Item, offset: number): Item {
  if ('open' in item) return { open: { ...item.open, body: [offset, item.open.body[1]] } }
  if ('end' in item && item.end.reply) {
    const { reply } = item.end
    return { end: { ...item.end, reply: { ...reply, body: [offset, reply.body[1]] } } }
  }
  return item
}
