import type { ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'

/** What a recording can hold of one answer. */
const COPIED_BYTES = 16 * 1024 * 1024

/**
 * Sends a body as it comes in, no faster than the client reads. Resolves when it is over: with a copy, where one is
 * wanted, or with nothing, where the answer was cut on either side or is too long to keep. A cut answer ends with a
 * closed connection, so that nobody takes it for a whole one.
 */
export function sendStream(
  res: ServerResponse,
  body: Readable,
  wantsCopy: boolean,
): Promise<Buffer | undefined> {
  let copy: Buffer[] | undefined = wantsCopy ? [] : undefined
  let length = 0
  if (wantsCopy) {
    body.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > COPIED_BYTES) copy = undefined
      else copy?.push(chunk)
    })
  }
  // The head does not wait for a body that is slow to begin.
  res.flushHeaders()
  return new Promise((resolve) => {
    pipeline(body, res, (error) => resolve(error || !copy ? undefined : Buffer.concat(copy)))
  })
}
