import type { Readable } from 'node:stream'
import { type Body, createBody } from './body.ts'
import type { AnswerHead, HttpClient, UpstreamRequest } from './client.ts'
import { UpstreamFault } from './failure.ts'

export type Bounds = {
  /** How long it may take to get a connection, a free one included. */
  readonly connectMs: number
  /** From then on: until a held answer is whole, or until the head of a streamed one, then between two parts of it. */
  readonly answerMs: number
  /** Whatever happens, it has come to something by then; of performance.now(). */
  readonly deadline?: number
  /** The longest held answer; undefined: the answer passes as it comes in, and may be of any length. */
  readonly holdBytes: number | undefined
}

export type Exchanged =
  | {
      readonly kind: 'answered'
      readonly head: AnswerHead
      /** A buffer where all of it is there. */
      readonly body: Buffer | Readable
    }
  /** `wasSent`: something may have reached the upstream. */
  | { readonly kind: 'failed'; readonly error: Error; readonly wasSent: boolean }

/** One request, and what became of it within its bounds. Never rejects. */
export function exchange(client: HttpClient, request: UpstreamRequest, bounds: Bounds): Promise<Exchanged> {
  return new Promise((resolve) => {
    const { connectMs, answerMs, holdBytes, deadline = Number.POSITIVE_INFINITY } = bounds
    const within = (ms: number) => Math.max(0, Math.min(ms, deadline - performance.now()))
    let wasSent = false
    let isOver = false
    let head: AnswerHead | undefined
    let chunks: Buffer[] = []
    let length = 0
    let body: Body | undefined
    let abort: (reason: Error) => void = () => {}
    let timer = setTimeout(() => fail(new UpstreamFault('CONNECTION_WAIT')), within(connectMs))

    const settle = (exchanged: Exchanged) => {
      clearTimeout(timer)
      isOver = true
      resolve(exchanged)
    }
    const fail = (error: Error) => {
      if (isOver) return
      settle({ kind: 'failed', error, wasSent })
      abort(error)
    }
    /** Between two parts of a streamed answer, while its reader wants more. */
    const waits = (isWaiting: boolean) => {
      clearTimeout(timer)
      if (!isWaiting) return
      timer = setTimeout(() => body?.stream.destroy(new UpstreamFault('ANSWER_TIMEOUT')), answerMs)
    }

    abort = client.dispatch(request, {
      started: () => {
        wasSent = true
        clearTimeout(timer)
        timer = setTimeout(() => fail(new UpstreamFault('ANSWER_TIMEOUT')), within(answerMs))
      },
      head: (received, flow) => {
        head = received
        if (holdBytes !== undefined) return
        // What came in one piece with the head has been read by then: a short answer needs no stream.
        queueMicrotask(() => {
          if (isOver) return
          const letGo = () => abort(new UpstreamFault('LET_GO'))
          body = createBody({ flow, letGo, waits })
          for (const chunk of chunks) body.push(chunk)
          chunks = []
          settle({ kind: 'answered', head: received, body: body.stream })
          waits(true)
        })
      },
      data: (chunk) => {
        if (body) return body.push(chunk)
        chunks.push(chunk)
        length += chunk.length
        if (holdBytes !== undefined && length > holdBytes) fail(new UpstreamFault('ANSWER_TOO_LONG'))
      },
      end: () => {
        if (body) body.end()
        else if (!isOver && head) {
          const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
          settle({ kind: 'answered', head, body: whole })
        }
      },
      error: (error) => {
        if (body) body.stream.destroy(error)
        else fail(error)
      },
    })
  })
}
