import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CassetteError } from '../../../src/cassettes/cassette-error.ts'
import { harText } from '../../../src/cassettes/file/har/write.ts'
import { openJournal } from '../../../src/cassettes/file/journal/append.ts'
import { loadCassette } from '../../../src/cassettes/file/load.ts'
import { doneEvent, openEvent } from '../../../src/cassettes/writer/events.ts'
import { runs } from '../../support/effort.ts'
import { exchange, HEADER, redactor, scratch } from '../recording-fixtures.ts'

const directory = scratch()
let count = 0

function journalText(exchanges = 2): string {
  const path = join(directory, `journal-${++count}.cassette.jsonl`)
  const journal = openJournal(path, HEADER)
  const { redactRequest, redactReply } = redactor()
  for (let n = 1; n <= exchanges; n++) {
    const one = exchange({ body: { n }, reply: { n }, startedAt: HEADER.t0 + n })
    journal.append([
      openEvent(n, one, redactRequest(one.request)),
      doneEvent(n, one, one.reply && redactReply(one.reply)),
    ])
  }
  journal.close()
  return readFileSync(path, 'utf8')
}

function fault(name: string, content: string | Uint8Array): CassetteError {
  const path = join(directory, `${++count}-${name}`)
  writeFileSync(path, content)
  try {
    loadCassette(path)
  } catch (cause) {
    if (cause instanceof CassetteError) return cause
    throw cause
  }
  throw new Error(`${name} was loaded`)
}

const journal = journalText()
const lines = journal.split('\n')
writeFileSync(join(directory, 'good.cassette.jsonl'), journal)
const har = harText(loadCassette(join(directory, 'good.cassette.jsonl')))
const tree = JSON.parse(har)
const entriesAt = har.split('\n').findIndex((line) => line.startsWith('    "entries"')) + 1
const with_ = (change: (har: typeof tree) => void) => {
  const copy = structuredClone(tree)
  change(copy)
  return JSON.stringify(copy)
}

describe('a bad HAR says what is wrong with it', () => {
  it.each<[string, string | Uint8Array, Partial<CassetteError>, RegExp]>([
    ['empty', '', { reason: 'empty' }, /is empty/],
    ['white space alone', ' \n\n', { reason: 'empty' }, /is empty/],
    ['cut off', har.slice(0, har.length / 2), { reason: 'undecodable' }, /may be cut off/],
    ['a line lost', har.replace('"response": {', ''), { reason: 'undecodable' }, /not well-formed/],
    ['text after it', `${har}x`, { reason: 'undecodable' }, /not well-formed/],
    [
      'not UTF-8',
      Buffer.from(har.replace('sandgate', 'sand\xffgate'), 'latin1'),
      { reason: 'not-utf8' },
      /UTF-8/,
    ],
    ['UTF-16', Buffer.from(har, 'utf16le'), { reason: 'undecodable' }, /not well-formed/],
    ['a pointer', 'version https://git-lfs.github.com/spec/v1\n', { reason: 'undecodable' }, /git lfs pull/],
    [
      'a conflict',
      har.replace('    "entries"', '<<<<<<< ours\n    "entries"'),
      { reason: 'undecodable', place: { line: entriesAt } },
      /merge conflict/,
    ],
    ['another JSON', '{"a":1}', { reason: 'foreign' }, /no log/],
    ['a list', '[]', { reason: 'foreign' }, /no log/],
    ["another program's", '{"log":{"version":"1.2","entries":[]}}', { reason: 'foreign' }, /cassette import/],
    [
      'newer',
      har.replace('"version": 2,', '"version": 7,'),
      { reason: 'newer' },
      /format 7.*up to 2.*update/,
    ],
    [
      'no version',
      with_(({ log }) => delete log._cassette.version),
      { reason: 'undecodable' },
      /no format version/,
    ],
    ['no origin', with_(({ log }) => delete log._cassette.origin), { reason: 'undecodable' }, /lacks a part/],
    ['no entries', with_(({ log }) => delete log.entries), { reason: 'undecodable' }, /no entries/],
    [
      'an entry of another',
      with_(({ log }) => delete log.entries[1]._cassette),
      { reason: 'incomplete-entry', place: { entry: 2, line: 1 } },
      /no _cassette/,
    ],
    [
      'no url',
      with_(({ log }) => delete log.entries[0].request.url),
      { reason: 'incomplete-entry' },
      /request\.url is missing/,
    ],
    [
      'another origin',
      with_(({ log }) => (log.entries[0].request.url = 'http://x/y')),
      { reason: 'incomplete-entry' },
      /does not start with/,
    ],
    [
      'no status',
      with_(({ log }) => (log.entries[0].response.status = '200')),
      { reason: 'incomplete-entry' },
      /response\.status/,
    ],
    [
      'a bad binding',
      with_(({ log }) => (log.entries[0]._cassette.bindings = [{}])),
      { reason: 'incomplete-entry' },
      /bindings/,
    ],
    [
      'an entry that is cut',
      har.replace('"time": 1.5', '"time": 1.'),
      { reason: 'undecodable', place: { entry: 1, line: entriesAt + 1 } },
      /not well-formed/,
    ],
  ])('%s', (name, content, wanted, message) => {
    const found = fault(`${name}.har`, content)
    expect(found).toMatchObject(wanted)
    expect(found.message).toMatch(message)
  })

  it('missing, and that a recording was not finished', () => {
    expect(() => loadCassette(join(directory, 'no.har'))).toThrow(/no\.har: does not exist\.$/)
    expect(() => loadCassette(join(directory, 'good.har'))).toThrow(/not finished: .*good\.cassette\.jsonl/)
  })

  it('a directory', () => {
    mkdirSync(join(directory, 'dir.har'))
    expect(() => loadCassette(join(directory, 'dir.har'))).toThrow(
      expect.objectContaining({ reason: 'unreadable' }),
    )
  })

  it('without interactions is a good one, and so is one that was formatted otherwise', () => {
    const path = join(directory, 'fine.har')
    writeFileSync(
      path,
      with_(({ log }) => (log.entries = [])),
    )
    expect(loadCassette(path).interactions).toEqual([])
    writeFileSync(path, `\ufeff${JSON.stringify(tree, null, 4)}`)
    expect(loadCassette(path).interactions).toHaveLength(2)
  })
})

describe('a bad journal says what is wrong with it', () => {
  it.each<[string, string | Uint8Array, Partial<CassetteError>, RegExp]>([
    ['empty', '', { reason: 'empty' }, /is empty/],
    ['newer', journal.replace('"version":2', '"version":3'), { reason: 'newer' }, /update/],
    [
      'a line lost',
      lines.toSpliced(2, 1).join('\n'),
      { reason: 'broken-chain', place: { line: 3 } },
      /does not follow/,
    ],
    [
      'the first line lost',
      lines.slice(1).join('\n'),
      { reason: 'broken-chain', place: { line: 1 } },
      /first line/,
    ],
    [
      'a line edited',
      journal.replace('{\\"n\\":1}', '{\\"n\\":9}'),
      { reason: 'broken-chain', place: { line: 3 } },
      /damaged or edited/,
    ],
    [
      'garbage inside',
      lines.toSpliced(2, 1, 'x').join('\n'),
      { reason: 'broken-chain', place: { line: 3 } },
      /cannot be read/,
    ],
    [
      'not UTF-8',
      Buffer.from(lines.toSpliced(2, 1, '\xff').join('\n'), 'latin1'),
      { reason: 'not-utf8', place: { line: 3 } },
      /UTF-8/,
    ],
    ['something else', 'hello\n', { reason: 'undecodable' }, /no journal|not a journal/],
  ])('%s', (name, content, wanted, message) => {
    const found = fault(`${name}.cassette.jsonl`, content)
    expect(found).toMatchObject(wanted)
    expect(found.message).toMatch(message)
  })

  it('cut off at any byte, it loses the torn line alone, and says so', () => {
    const text = journalText(3)
    const path = join(directory, 'torn.cassette.jsonl')
    const first = text.indexOf('\n')
    fc.assert(
      fc.property(
        fc.integer({ min: first + 1, max: text.length }),
        fc.constantFrom('', '\0\0\0', '\xff{"seq":'),
        (at, junk) => {
          writeFileSync(path, Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from(junk, 'latin1')]))
          const kept = text.slice(0, at).split('\n')
          // A line that lacks its line break alone is whole, unless something was written behind it.
          const last = kept.pop() ?? ''
          const whole = kept.length + Number(last !== '' && junk === '' && text.slice(at, at + 1) === '\n')
          const { recovered } = loadCassette(path)
          const torn = Number(last + junk !== '' && whole === kept.length)
          expect(recovered).toEqual({ recovered: whole - 1, dropped: torn })
        },
      ),
      { numRuns: runs(150) },
    )
  })
})
