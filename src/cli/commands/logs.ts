import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { systemClock } from '../../clock.ts'
import type { Io, Run } from '../command.ts'
import { type LogFilter, type LogLine, logFilter } from '../log-filter.ts'
import { logText } from '../log-text.ts'

/** Reads logs line by line, whatever their size, and shows the lines that are wanted. */
export const run: Run = async ({ options, args }, io) => {
  const filter = logFilter(options, systemClock.now())
  if (typeof filter === 'string') {
    io.err(`sandgate logs: ${filter}\n`)
    return 'usage'
  }
  if (args.length === 0 && process.stdin.isTTY) {
    io.err('sandgate logs: name log files, or pipe a log in\n')
    return 'usage'
  }
  const show = options.json
    ? (_line: LogLine, raw: string) => io.out(`${raw}\n`)
    : (line: LogLine) => io.out(logText(line))
  let failed = false
  for (const name of args.length === 0 ? ['-'] : args) {
    const problem = await readLog(name === '-' ? undefined : name, filter, show, io)
    if (problem === undefined) continue
    io.err(`sandgate logs: ${problem}\n`)
    failed = true
  }
  return failed ? 'failure' : 'ok'
}

/** A file, or standard input; what went wrong, if something did. The other files are read all the same. */
async function readLog(
  file: string | undefined,
  filter: LogFilter,
  show: (line: LogLine, raw: string) => void,
  io: Io,
): Promise<string | undefined> {
  let strange = 0
  try {
    for await (const raw of linesOf(file)) {
      const line = parsed(raw)
      if (line === undefined) strange += raw.trim() === '' ? 0 : 1
      else if (filter(line)) show(line, raw)
    }
  } catch (error) {
    return `${file ?? 'standard input'}: ${error instanceof Error ? error.message : String(error)}`
  }
  if (strange > 0) {
    io.err(`${file ?? 'standard input'}: ${strange} lines are none of a JSON log (log.format: json)\n`)
  }
  return undefined
}

async function* linesOf(file: string | undefined): AsyncGenerator<string> {
  const source: Readable = file === undefined ? process.stdin : createReadStream(file)
  const input = file?.endsWith('.gz') ? source.pipe(createGunzip()) : source
  // An error of the file does not pass a pipe by itself, and readline hears of neither.
  const failure = new Promise<never>((_, reject) => {
    source.on('error', reject)
    input.on('error', reject)
  })
  failure.catch(() => {})
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([lines.next(), failure])
    if (next.done) return
    yield next.value
  }
}

function parsed(raw: string): LogLine | undefined {
  try {
    const line: unknown = JSON.parse(raw)
    const isLine =
      typeof line === 'object' && line !== null && 'time' in line && typeof line.time === 'string'
    return isLine ? (line as LogLine) : undefined
  } catch {
    return undefined
  }
}
