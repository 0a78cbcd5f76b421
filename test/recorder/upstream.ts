import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { onTestFinished } from 'vitest'
import { OUTCOMES_PATH } from '../../src/portal/public-documents.ts'
import { type RecorderOptions, type RunningRecorder, startRecorder } from '../../src/recorder/recorder.ts'

/** What the upstream saw of a request. */
export type Seen = {
  readonly method: string
  readonly target: string
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

export type Handler = (req: IncomingMessage, res: ServerResponse) => void

export const answerEmpty: Handler = (_req, res) => void res.end('{}')

export type Upstream = {
  readonly url: URL
  readonly port: number
  readonly seen: Seen[]
  /** Exchanges that are not over. */
  readonly open: ReadonlySet<ServerResponse>
  readonly close: () => void
}

/** An upstream until the end of the test. */
export async function startUpstream(handler: Handler): Promise<Upstream> {
  const upstream = await openUpstream(handler)
  onTestFinished(upstream.close)
  return upstream
}

/**
 * A real server that keeps what it saw. `handler` is called when the head of a request is there. What decides in it, it
 * tells nobody: the question of a recorder is neither kept nor handed on.
 */
export async function openUpstream(handler: Handler): Promise<Upstream> {
  const seen: Seen[] = []
  const open = new Set<ServerResponse>()
  const server = createServer((req, res) => {
    if (req.url?.endsWith(OUTCOMES_PATH)) return void res.writeHead(404).end()
    const chunks: Buffer[] = []
    open.add(res)
    res.on('close', () => open.delete(res))
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () =>
      seen.push({
        method: req.method ?? '',
        target: req.url ?? '',
        rawHeaders: req.rawHeaders,
        body: Buffer.concat(chunks),
      }),
    )
    handler(req, res)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  const { port } = server.address() as AddressInfo
  return { url: new URL(`http://127.0.0.1:${port}`), port, seen, open, close }
}

export async function record(
  upstream: URL,
  out: string,
  more: Partial<RecorderOptions> = {},
): Promise<RunningRecorder & { readonly port: number }> {
  const recorder = await startRecorder({ upstream, out, port: 0, leftover: 'resume', ...more })
  let isFinished = false
  onTestFinished(async () => {
    if (!isFinished) await recorder.finish().catch(() => {})
  })
  return {
    ...recorder,
    port: Number(new URL(recorder.url).port),
    finish: () => {
      isFinished = true
      return recorder.finish()
    },
  }
}

/** Sends bytes and resolves with all that comes back until the other side closes. */
export async function rawExchange(port: number, request: string | Buffer): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(request)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'close')
  return Buffer.concat(chunks)
}
