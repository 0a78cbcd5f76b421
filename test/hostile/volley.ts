import net from 'node:net'

/** Something to write on a connection. */
export type Missile = {
  readonly bytes: Buffer
  /** HEAD is answered without a body. */
  readonly method: string
  /** Gets a connection of its own, which is closed behind it. */
  readonly alone: boolean
}

export type Answer = {
  readonly status: number
  /** The lines as they came: lower-case names. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
}

/** What became of a missile. `fault` says what was wrong with the conversation itself. */
export type Impact = {
  readonly answers: readonly Answer[]
  readonly closed: boolean
  readonly fault?: string
}

export const header = (answer: Answer, name: string): string | undefined =>
  answer.headers.find(([each]) => each === name)?.[1]

/** Keeps a few connections open and throws missiles at a port: pipelined, or alone. */
export function createThrower(port: number, lanes: number, deadlineMs: number) {
  const open = Array.from({ length: lanes }, () => createLane(port, deadlineMs))
  return {
    throw: async (missiles: readonly Missile[]): Promise<Impact[]> => {
      const impacts = new Map<Missile, Impact>()
      const together = missiles.filter(({ alone }) => !alone)
      await Promise.all([
        ...missiles
          .filter(({ alone }) => alone)
          .map(async (each) => impacts.set(each, await throwAlone(port, each, deadlineMs))),
        ...open.map(async (lane, index) => {
          const mine = together.filter((_, i) => i % lanes === index)
          const results = await lane.send(mine)
          for (const [i, each] of mine.entries())
            impacts.set(each, results[i] ?? { answers: [], closed: true })
        }),
      ])
      return missiles.map((each) => impacts.get(each) ?? { answers: [], closed: true, fault: 'lost' })
    },
    close: () => {
      for (const lane of open) lane.close()
    },
  }
}

function createLane(port: number, deadlineMs: number) {
  let socket: net.Socket | undefined
  return {
    close: () => socket?.destroy(),
    /** Writes all at once and reads an answer for each, in order; what a closed connection leaves is unanswered. */
    send: async (missiles: readonly Missile[]): Promise<Impact[]> => {
      if (missiles.length === 0) return []
      socket = socket && !socket.destroyed && socket.writable ? socket : await connect(port)
      const current = socket
      const heard = await converse(current, missiles, deadlineMs, false)
      if (heard.closed || heard.fault) current.destroy()
      return missiles.map((_, i) => {
        const answers = heard.finals[i] ? [heard.finals[i]] : []
        const fault = heard.fault !== undefined && i === missiles.length - 1 ? { fault: heard.fault } : {}
        return { answers, closed: heard.closed, ...fault }
      })
    },
  }
}

async function throwAlone(port: number, missile: Missile, deadlineMs: number): Promise<Impact> {
  const socket = await connect(port)
  const { finals, closed, fault } = await converse(socket, [missile], deadlineMs, true)
  socket.destroy()
  return { answers: finals, closed, ...(fault !== undefined && { fault }) }
}

type Heard = { readonly finals: Answer[]; readonly closed: boolean; readonly fault?: string }

/** Until every missile is answered, or with `toTheEnd` until the peer has closed; never longer than the deadline. */
function converse(
  socket: net.Socket,
  missiles: readonly Missile[],
  deadlineMs: number,
  toTheEnd: boolean,
): Promise<Heard> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const finals: Answer[] = []
    const finish = (closed: boolean, fault?: string): void => {
      clearTimeout(timer)
      socket.removeAllListeners()
      socket.on('error', () => {})
      resolve({ finals, closed, ...(fault !== undefined && { fault }) })
    }
    const timer = setTimeout(() => {
      finish(false, `hangs: ${finals.length} of ${missiles.length} answered after ${deadlineMs} ms`)
    }, deadlineMs)
    socket.on('data', (chunk) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      for (;;) {
        const found = readAnswer(bytes, missiles[finals.length]?.method === 'HEAD')
        if (found === undefined) break
        if (typeof found === 'string') return finish(true, found)
        bytes = bytes.subarray(found.length)
        if (found.answer.status >= 200) finals.push(found.answer)
      }
      if (!toTheEnd && finals.length === missiles.length) {
        if (bytes.length > 0)
          finish(true, `bytes that nobody asked for: ${bytes.toString('latin1').slice(0, 80)}`)
        // An answer that announces the end of its connection is followed by nothing.
        else finish(finals.some((each) => header(each, 'connection') === 'close'))
      }
    })
    const ended = () =>
      finish(true, bytes.length > 0 ? `a cut answer: ${bytes.toString('latin1').slice(0, 200)}` : undefined)
    socket.on('end', ended)
    socket.on('close', ended)
    socket.on('error', ended)
    socket.write(Buffer.concat(missiles.map((each) => each.bytes)))
    if (toTheEnd) socket.end()
  })
}

function connect(port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      socket.on('error', () => {})
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

const HEADER_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\t -~]*$/

/** The first whole answer; a text says what is not well-formed. Every answer of ours has a Content-Length. */
function readAnswer(bytes: Buffer, toHead: boolean): { answer: Answer; length: number } | string | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 ([1-5][0-9]{2}) [ -~]*$/.exec(statusLine)?.[1])
  if (!status) return `not a status line: ${statusLine.slice(0, 100)}`
  for (const each of lines) if (!HEADER_LINE.test(each)) return `not a header line: ${each.slice(0, 100)}`
  const headers = lines.map((each): [string, string] => {
    const colon = each.indexOf(':')
    return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()]
  })
  const announced = headers.filter(([name]) => name === 'content-length')
  // RFC 9110 section 8.6: none in a 204; in a 304 it would be that of the answer that is not sent.
  if (status >= 200 && announced.length !== (status === 204 || status === 304 ? 0 : 1))
    return `${announced.length} Content-Length lines in a ${status}`
  const length = toHead || announced.length === 0 ? 0 : Number(announced[0]?.[1])
  const start = end + 4
  if (bytes.length < start + length) return undefined
  const body = Buffer.from(bytes.subarray(start, start + length))
  return { answer: { status, headers, body }, length: start + length }
}
