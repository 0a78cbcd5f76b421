import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CapturedExchange } from '../../src/cassettes/interaction.ts'
import { createWriter } from '../../src/cassettes/writer/writer.ts'
import { bodyText, scratch, settings } from '../cassettes/recording-fixtures.ts'
import { leaksIn, type Told, told } from '../cassettes/redaction/canaries.ts'
import { sandgateRecord } from '../recorder/command.ts'
import { startUpstream } from '../recorder/upstream.ts'
import { COMMAND, environmentOfADesk } from '../support/command.ts'
import { CANARIES, RECORDER_KILLS } from '../support/effort.ts'
import { sandgate } from './cassette-fixtures.ts'
import { sandgateReplay } from './replay-command.ts'

/** Of what is generated elsewhere a part goes through real commands, forty in a recording. */
const PER_RECORDING = 40
const RUNS = Math.ceil(CANARIES / 40 / PER_RECORDING)
const KILLS = Math.ceil(RECORDER_KILLS / 4)

const root = scratch()
let count = 0

/** A client: sends each request of a file, tells their statuses, and keeps what a miss said. */
const CLIENT = `
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
const [batch, misses] = process.argv.slice(2)
const said = []
for (const { method, target, headers, body } of JSON.parse(readFileSync(batch, 'utf8'))) {
  await new Promise((resolve, reject) => {
    const url = new URL(process.env.SANDGATE_URL)
    const bytes = Buffer.from(body, 'base64')
    const options = { host: url.hostname, port: url.port, method, path: target, agent: false }
    const req = request({ ...options, headers: [...headers.flat(), 'Host', url.host, 'Content-Length', String(bytes.length)] })
    req.on('error', reject)
    req.on('response', (res) => {
      let text = ''
      res.on('data', (chunk) => { text += chunk })
      res.on('end', () => { if (res.statusCode === 424) said.push(text); resolve() })
    })
    req.end(bytes)
  })
}
writeFileSync(misses, said.join('\\n'))
`

/** Each in a lane that is called after its canary, in one of the two ways, or in none. */
function sent({ canary, exchange: { request } }: Told, i: number) {
  const name = encodeURIComponent(canary.value)
  const { method, body } = request
  const lane = i % 3 === 0 ? [['X-Sandgate-Lane', name]] : []
  return {
    ...{ method, target: i % 3 === 1 ? `/_lane/${name}${request.target}` : request.target },
    headers: [...request.headers, ...lane, ['X-Nth', String(i)]],
    body: Buffer.from(body).toString('base64'),
  }
}

function prepared() {
  const directory = join(root, String(++count))
  mkdirSync(directory)
  const file = (name: string) => join(directory, name)
  writeFileSync(join(root, 'client.mjs'), CLIENT)
  const client = (name: string, list: readonly Told[]) => {
    const batch = join(root, `${count}-${name}.json`)
    const misses = join(root, `${count}-${name}.misses`)
    writeFileSync(batch, JSON.stringify(list.map(sent)))
    return { argv: [process.execPath, join(root, 'client.mjs'), batch, misses], misses }
  }
  return { directory, file, client }
}

/** Answers each request as it was generated. */
function sandbox(list: readonly Told[]) {
  return startUpstream((req, res) => {
    req.resume().on('end', () => {
      const reply = list[Number(req.headers['x-nth'])]?.exchange.reply
      if (!reply) return void res.end()
      res.writeHead(reply.status, reply.headers.flat())
      res.end(reply.body)
    })
  })
}

function described({ request, reply }: CapturedExchange): string {
  return JSON.stringify([request.target, request.headers, bodyText(request), reply?.headers, bodyText(reply)])
}

function expectNone(list: readonly Told[], text: string, where: string): void {
  for (const [i, { canary, exchange }] of list.entries())
    expect(leaksIn(text, canary), `${canary.value} (${i}) in ${where} of ${described(exchange)}`).toEqual([])
}

function expectNoneIn(list: readonly Told[], directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (statSync(path).isFile()) expectNone(list, readFileSync(path, 'utf8'), name)
  }
}

const batch = fc.array(told, { minLength: PER_RECORDING, maxLength: PER_RECORDING })

describe('a secret and a person on their way through the commands', () => {
  it('are in no file and on no console of a recording, its tools, and a replay that misses', async () => {
    await fc.assert(
      fc.asyncProperty(batch, batch, async (list, others) => {
        const { directory, file, client } = prepared()
        const { url } = await sandbox(list)
        const out = file('tape.har')
        const recorded = await sandgateRecord([
          ...['--upstream', url.origin, '--out', out, '--', ...client('recorded', list).argv],
        ])
        expect(recorded).toMatchObject({ code: 0 })
        expectNone(list, recorded.stdout + recorded.stderr, 'the console')
        expectNoneIn(list, directory)
        for (const argv of [
          ['show', out, '--json'],
          ['lint', out],
          ['diff', out, out],
        ]) {
          const { out: said, err } = await sandgate(['cassette', ...argv])
          expectNone(list, said + err, argv[0] ?? '')
        }
        // Another run, with other people and other secrets: most of its requests miss.
        const { argv, misses } = client('others', others)
        const reports = ['--junit', file('junit.xml'), '--ledger', file('ledger.json')]
        const replayed = await sandgateReplay([out, ...reports, '--', ...argv])
        expect(replayed.code).not.toBe(0)
        const both = [...list, ...others]
        expectNone(both, replayed.stdout + replayed.stderr, 'the console of the replay')
        expectNoneIn(both, directory)
        const said = readFileSync(misses, 'utf8')
        expect(said).toContain('CASSETTE_MISS')
        expectNone(both, said, 'the misses')
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  it(`are in no journal of a recorder that is killed ${KILLS} times at any moment`, async () => {
    const oneKill = fc.tuple(batch, fc.integer({ min: 0, max: 400 }))
    await fc.assert(
      fc.asyncProperty(oneKill, async ([list, afterMs]) => {
        const { directory, file, client } = prepared()
        const { url, seen } = await sandbox(list)
        const args = [
          'record',
          '--upstream',
          url.origin,
          '--out',
          file('tape.har'),
          '--',
          ...client('killed', list).argv,
        ]
        const recorder = spawn(process.execPath, [COMMAND, ...args], {
          env: environmentOfADesk(),
          stdio: 'ignore',
        })
        await expect.poll(() => seen.length).toBeGreaterThan(0)
        await wait(afterMs)
        recorder.kill('SIGKILL')
        await once(recorder, 'close')
        expect(existsSync(file('tape.cassette.jsonl')) || existsSync(file('tape.har'))).toBe(true)
        expectNoneIn(list, directory)
      }),
      { numRuns: KILLS, endOnFailure: true },
    )
  })

  it('are not in a quarantine, nor in what is said of it', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (list) => {
        const { directory, file } = prepared()
        const { header } = settings('')
        const origin = 'https://quarantined.invalid'
        const writer = await createWriter(settings(file('tape.har'), { header: { ...header, origin } }))
        for (const { exchange } of list) writer.record(exchange)
        await writer.flush()
        // It stands in the head of the file, from where it is taken out only when the journal is written anew.
        writer.learn('quarantined.invalid')
        const said = await writer.finish().then(
          () => 'written',
          (error: Error) => error.message,
        )
        if (said === 'written')
          expect(readFileSync(file('tape.har'), 'utf8')).not.toContain('quarantined.invalid')
        else {
          expect(said).toContain('quarantine')
          expect(readdirSync(directory)).toEqual(['tape.cassette.quarantine.jsonl'])
        }
        expectNone(list, said, 'the message')
        expectNoneIn(list, directory)
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })
})
