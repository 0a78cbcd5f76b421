import { createRequire } from 'node:module'
import { type LoggerOptions, pino } from 'pino'
import type { Config } from '../config/schema.ts'
import { type LineStream, standardOutput } from './log-lines.ts'

type Log = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** What a request leaves in the log. Only what is listed here: no path, no header, no body, nothing a client made up. */
export type RequestLine = {
  readonly requestId: string
  readonly partner: string | null | undefined
  readonly operation: string | null | undefined
  readonly method: string
  readonly status: number
  readonly code: string | null | undefined
  readonly durationMs: number
  /** The client of a refusal at the door, as far as `log.clientAddress` lets it be told. */
  readonly client?: string | undefined
  /** Of a request with a valid traceparent. */
  readonly traceId?: string | undefined
}

export type Logger = {
  readonly info: Log
  readonly warn: Log
  readonly error: Log
  /** The line of a request; does nothing with `log.requests: false`. */
  readonly logRequest: (line: RequestLine) => void
  /** Resolves when everything has been handed to the operating system. */
  readonly flush: () => Promise<void>
}

const nothing = () => {}
const done = () => Promise.resolve()

/** JSON lines or, for people, readable ones; on standard output unless a stream is given. */
export function createLogger(
  settings: Pick<Config['log'], 'requests' | 'format'>,
  stream?: LineStream,
): Logger {
  if (settings.format === 'off') {
    return { info: nothing, warn: nothing, error: nothing, logRequest: nothing, flush: done }
  }
  const onTerminal = stream === undefined && process.stdout.isTTY === true
  const output = stream === undefined ? standardOutput() : { write: stream.write.bind(stream), flush: done }
  const wantsPretty = settings.format === 'pretty' || (settings.format === 'auto' && onTerminal)
  const lines = wantsPretty ? { ...output, write: readable(output, onTerminal) } : output
  const logger = pino(OPTIONS, lines)
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    logRequest: settings.requests ? (line) => lines.write(requestText(line)) : nothing,
    flush: output.flush,
  }
}

const OPTIONS: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }) },
}

/** Turns JSON lines into readable ones. In this process: a worker of pino's would make every start wait for it. */
function readable(output: LineStream, colorize: boolean): LineStream['write'] {
  // Loaded only where there is somebody to look at it.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
  const format = prettyFactory({
    colorize: colorize && process.env.NO_COLOR === undefined,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
  })
  return (line) => output.write(format(line))
}

/**
 * The JSON is put together by hand: with the gathering in log-lines.ts that is five times as cheap as
 * `pino.info(line, 'request')`, and this is the only line on the hot path.
 */
function requestText(line: RequestLine): string {
  const duration = Math.round(line.durationMs * 1000) / 1000
  const client = line.client === undefined ? '' : `,"client":${quoted(line.client)}`
  const trace = line.traceId === undefined ? '' : `,"traceId":${quoted(line.traceId)}`
  return `{"level":"info","time":"${timestamp()}","requestId":${quoted(line.requestId)},"partner":${quoted(line.partner)},"operation":${quoted(line.operation)},"method":${quoted(line.method)},"status":${line.status},"code":${quoted(line.code)},"durationMs":${duration}${client}${trace},"msg":"request"}\n`
}

const PLAIN = /^[\w.:-]*$/

/** All of these values are names of ours; the check is for the day that one is not. */
function quoted(text: string | null | undefined): string {
  if (text === null || text === undefined) return 'null'
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}

let second = 0
let secondText = ''

/** The wall clock's time, also when the gateway's own clock has been moved. Formatting it is done once a second. */
function timestamp(): string {
  const now = Date.now()
  const ms = now % 1000
  if (now - ms !== second) {
    second = now - ms
    secondText = new Date(second).toISOString().slice(0, -4)
  }
  return `${secondText}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`
}
