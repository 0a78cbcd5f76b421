import type { Socket } from 'node:net'

/** The head of a request, as undici writes it: in one piece of text. Bodies are bytes, chunk sizes have no method. */
const REQUEST_HEAD = /^[A-Z]+ \S+ HTTP\/1\.1\r\n/

const STATUS_LINE = /^HTTP\/1\.[01] 1[0-9][0-9](?![0-9])/
/** `HTTP/1.1 100` and what follows it, so that a longer number is not taken for one. */
const NEEDED = 13
const LAST_DIGIT = 11
const END_OF_HEAD = '\r\n\r\n'

/** Whether what comes in on a connection is read. Closed, it fills up, and the peer waits. */
export type ReadableGate = { readonly open: () => void; readonly close: () => void }

/**
 * Looks after what undici 7 leaves open on a connection that it is given.
 *
 * An interim answer of any kind is passed over (RFC 9110 section 15.2), also a 100 that nobody asked for. undici does
 * so with every other 1xx, and breaks the connection off at a 100: here it sees a 102 in its place.
 *
 * `onRequest` is given the gate of the connection whenever a request begins on it. undici's own way to pause an answer
 * fails an assertion when the connection ends meanwhile.
 */
export function overSee(socket: Socket, onRequest: (gate: ReadableGate) => void): Socket {
  /** `status`: the next byte begins a head. `interim`: within the head of an interim answer. */
  let expects: 'nothing' | 'status' | 'interim' = 'nothing'
  let held: Buffer | undefined
  let matched = 0
  let isOpen = true
  const gate: ReadableGate = {
    close: () => {
      isOpen = false
    },
    open: () => {
      if (isOpen) return
      isOpen = true
      // Not at once: the parser may be at work, and whoever has read its last part asks for more.
      queueMicrotask(() => socket.emit('readable'))
    },
  }

  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
  socket.write = (...args: unknown[]): boolean => {
    if (typeof args[0] === 'string' && REQUEST_HEAD.test(args[0])) {
      expects = 'status'
      isOpen = true
      onRequest(gate)
    }
    return write(...args)
  }
  socket.read = (size?: number) => {
    if (!isOpen) return null
    const chunk: unknown = read(size)
    return chunk instanceof Buffer && expects !== 'nothing' ? scan(chunk) : chunk
  }
  return socket

  /** The bytes, perhaps with a digit changed; null while the status line is not there yet. */
  function scan(chunk: Buffer): Buffer | null {
    const bytes = held ? Buffer.concat([held, chunk]) : chunk
    held = undefined
    for (let at = 0; ; ) {
      if (expects === 'interim') {
        at = endOfHead(bytes, at)
        if (expects === 'interim') return bytes
      }
      const status = bytes.toString('latin1', at, at + NEEDED)
      if (status.length < NEEDED && couldBeInterim(status)) {
        held = bytes.subarray(at)
        return at === 0 ? null : bytes.subarray(0, at)
      }
      if (!STATUS_LINE.test(status)) {
        expects = 'nothing'
        return bytes
      }
      if (status.startsWith('100', 9)) bytes[at + LAST_DIGIT] = 0x32
      expects = 'interim'
      matched = 0
    }
  }

  function endOfHead(bytes: Buffer, from: number): number {
    let at = from
    while (at < bytes.length && matched < END_OF_HEAD.length) {
      const byte = bytes[at++]
      if (byte === END_OF_HEAD.charCodeAt(matched)) matched += 1
      else matched = byte === 0x0d ? 1 : 0
    }
    if (matched === END_OF_HEAD.length) expects = 'status'
    return at
  }
}

function couldBeInterim(start: string): boolean {
  const like = 'HTTP/1.1 1'
  const common = Math.min(start.length, like.length)
  return start.slice(0, common).replace('HTTP/1.0', 'HTTP/1.1') === like.slice(0, common)
}
