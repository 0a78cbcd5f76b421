import type { ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import type { NoReply } from '../cassettes/interaction.ts'

/** What a recording can hold of one answer. */
const COPIED_BYTES = 16 * 1024 * 1024

/** What a recording has of an answer that has passed: all of it, or why it has not. */
export type Passed =
  | { readonly copy: Buffer | undefined; readonly noReply?: never }
  | { readonly copy?: never; readonly noReply: NoReply }

/**
 * Sends a body as it comes in, no faster than the client reads. Resolves when it is over, with a copy where one is
 * wanted. A cut answer ends with a closed connection, so that nobody takes it for a whole one.
 */
export function sendStream(res: ServerResponse, body: Readable, wantsCopy: boolean): Promise<Passed> {
  let copy: Buffer[] | undefined = wantsCopy ? [] : undefined
  let length = 0
  let isLong = false
  if (wantsCopy) {
    body.on('data', (chunk: Buffer) => {
      length += chunk.length
      isLong ||= length > COPIED_BYTES
      if (isLong) copy = undefined
      else copy?.push(chunk)
    })
  }
  // Each side ends the other: a body that fails while its client is there has broken off by itself.
  let isCut = false
  const ended = () => {
    isCut ||= !body.readableEnded && !res.destroyed
  }
  body.once('error', ended)
  body.once('close', ended)
  // The head does not wait for a body that is slow to begin.
  res.flushHeaders()
  return new Promise((resolve) => {
    pipeline(body, res, (error) => {
      if (error) resolve({ noReply: isCut ? 'cut' : 'client-left' })
      else resolve(isLong ? { noReply: 'beyond-bound' } : { copy: copy && Buffer.concat(copy) })
    })
  })
}
