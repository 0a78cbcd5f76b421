import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CassetteError } from '../../../src/cassettes/cassette-error.ts'
import { writeHar } from '../../../src/cassettes/file/har/write.ts'
import { openJournal } from '../../../src/cassettes/file/journal/append.ts'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import type { CapturedExchange, Interaction } from '../../../src/cassettes/interaction.ts'
import { plainReply } from '../../../src/cassettes/message/encoding.ts'
import { createSecrets } from '../../../src/cassettes/redaction/secrets/secrets.ts'
import { doneEvent, openEvent } from '../../../src/cassettes/writer/events.ts'
import { runs } from '../../support/effort.ts'
import { anyExchange, exchange, HEADER, redactor, scratch } from '../recording-fixtures.ts'

const directory = scratch()
let count = 0
const fresh = () => join(directory, `tape-${++count}`)

/** Journal, then HAR, then both loaded. */
function throughBoth(exchanges: readonly CapturedExchange[]) {
  const name = fresh()
  const { redactRequest, redactReply } = redactor()
  const journal = openJournal(`${name}.cassette.jsonl`, HEADER)
  const expected: CapturedExchange[] = []
  for (const [i, captured] of exchanges.entries()) {
    const request = redactRequest(captured.request)
    const whole = captured.reply && plainReply(captured.reply)
    const reply = whole?.kind === 'whole' ? redactReply(whole.reply, request.words) : undefined
    const noReply = whole?.kind === 'broken' ? whole.why : whole && !reply ? 'beyond-bound' : captured.noReply
    const why = noReply ? { noReply } : {}
    journal.append([openEvent(i + 1, captured, request), doneEvent(i + 1, { ...captured, ...why }, reply)])
    expected.push({ ...captured, ...why, request: request.request, reply: reply?.reply })
  }
  journal.close()
  const fromJournal = loadCassette(`${name}.cassette.jsonl`)
  writeHar(`${name}.har`, fromJournal, createSecrets())
  return { name, expected, fromJournal, fromHar: loadCassette(`${name}.har`) }
}

const bytesOf = (body: Uint8Array | undefined) => Buffer.from(body ?? []).toString('hex')

describe('journal and HAR', () => {
  it('give back every redacted exchange byte for byte', () => {
    fc.assert(
      fc.property(fc.array(anyExchange, { maxLength: 4 }), (exchanges) => {
        const { expected, fromJournal, fromHar } = throughBoth(exchanges)
        const inOrder = expected
          .map((one, i) => ({ one, i }))
          .sort((a, b) => a.one.startedAt - b.one.startedAt || a.i - b.i)
          .map(({ one }) => one)
        for (const loaded of [fromJournal, fromHar]) {
          expect(loaded.interactions).toHaveLength(expected.length)
          for (const [i, interaction] of loaded.interactions.entries()) {
            const wanted = inOrder[i]
            expect(interaction.sequence).toBe(i + 1)
            expect(interaction.request).toEqual({ ...wanted?.request, body: expect.anything() })
            expect(bytesOf(interaction.request.body)).toBe(bytesOf(wanted?.request.body))
            expect(interaction.reply === undefined).toBe(wanted?.reply === undefined)
            expect(interaction.noReply).toBe(wanted?.noReply)
            expect(interaction.reply?.headers).toEqual(wanted?.reply?.headers)
            expect(bytesOf(interaction.reply?.body)).toBe(bytesOf(wanted?.reply?.body))
            const { startedAt, durationMs, lane, operation, origin } = interaction
            expect({ startedAt, durationMs, lane, operation, origin }).toEqual({
              startedAt: wanted?.startedAt,
              durationMs: wanted?.durationMs,
              lane: wanted?.lane,
              operation: wanted?.operation,
              origin: wanted?.origin,
            })
          }
        }
        expect(fromHar.interactions.map(plain)).toEqual(fromJournal.interactions.map(plain))
      }),
      { numRuns: runs(80) },
    )
  })

  it('a HAR that is written again is the same file', () => {
    const { name, fromHar } = throughBoth([
      exchange({ body: { phone: '+2250712345678' }, reply: { kycId: 'kyc_1' } }),
    ])
    const before = readFileSync(`${name}.har`)
    writeHar(`${name}.har`, fromHar, createSecrets())
    expect(readFileSync(`${name}.har`).equals(before)).toBe(true)
  })

  it('the order of starts and of ends is kept when exchanges overlap', () => {
    const name = fresh()
    const { redactRequest, redactReply } = redactor()
    const journal = openJournal(`${name}.cassette.jsonl`, HEADER)
    const [a, b, c] = [1, 2, 3].map((n) => exchange({ startedAt: HEADER.t0 + n, body: { n }, reply: { n } }))
    if (!a?.reply || !b?.reply || !c?.reply) throw new Error('unreachable')
    journal.append([openEvent(1, a, redactRequest(a.request)), openEvent(2, b, redactRequest(b.request))])
    journal.append([doneEvent(2, b, redactReply(b.reply)), openEvent(3, c, redactRequest(c.request))])
    journal.append([doneEvent(1, a, redactReply(a.reply))])
    journal.close()
    writeHar(`${name}.har`, loadCassette(`${name}.cassette.jsonl`), createSecrets())
    const orders = loadCassette(`${name}.har`).interactions.map(({ sequence, ended, startedBeforeEnd }) => [
      sequence,
      ended,
      startedBeforeEnd,
    ])
    expect(orders).toEqual([
      [1, 2, 3],
      [2, 1, 2],
      [3, undefined, undefined],
    ])
  })
})

describe('writing fails closed', () => {
  const leak = () => ({
    ...HEADER,
    interactions: throughBoth([exchange({ reply: { note: 'fine' } })]).fromHar.interactions.map((one) => ({
      ...one,
      lane: 'sk_sandbox_0VhYx3kQm4Zq9TtB2nR7wLc1d',
    })),
  })

  it('a secret anywhere in the file, and the old file stands', () => {
    const path = `${fresh()}.har`
    writeFileSync(path, 'old')
    expect(() => writeHar(path, leak(), createSecrets())).toThrow(CassetteError)
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(directory).filter((file) => file.endsWith('.tmp'))).toEqual([])
  })

  it('a directory that is not there', () => {
    const path = join(directory, 'absent', 'x.har')
    expect(() => writeHar(path, { ...HEADER, interactions: [] }, createSecrets())).toThrow(/ENOENT/)
    expect(existsSync(path)).toBe(false)
  })

  it('a journal is readable by its owner alone', () => {
    const { name } = throughBoth([])
    expect(statSync(`${name}.cassette.jsonl`).mode & 0o777).toBe(0o600)
  })
})

function plain(interaction: Interaction) {
  const { request, reply } = interaction
  return {
    ...interaction,
    request: { ...request, body: bytesOf(request.body) },
    reply: reply && { ...reply, body: bytesOf(reply.body) },
  }
}
