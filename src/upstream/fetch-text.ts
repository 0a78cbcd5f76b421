import { createClient } from './client.ts'
import { exchange } from './exchange.ts'
import { causeOf } from './failure.ts'

const ANSWER_BYTES = 65_536
const CONNECT_MS = 3_000
const ANSWER_MS = 5_000

/** A small document of another server. Rejects when it cannot be had; the message has no address. */
export async function fetchText(url: string): Promise<string> {
  const { origin, host, pathname } = new URL(url)
  const client = createClient(origin, { connections: 1, connectMs: CONNECT_MS })
  try {
    const lines = [
      ['Host', host],
      ['Accept', 'application/json'],
    ] as const
    const exchanged = await exchange(
      client,
      { method: 'GET', target: pathname, lines, body: null },
      { connectMs: CONNECT_MS, answerMs: ANSWER_MS, holdBytes: ANSWER_BYTES },
    )
    if (exchanged.kind === 'failed') throw new Error(causeOf(exchanged.error))
    if (exchanged.head.status !== 200) throw new Error(`it was answered ${exchanged.head.status}`)
    return String(exchanged.body)
  } finally {
    await client.close()
  }
}
