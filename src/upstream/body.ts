import { Readable } from 'node:stream'
import type { Flow } from './client.ts'

export type Body = {
  readonly stream: Readable
  /** Adds to it; the upstream waits while nobody reads. */
  readonly push: (chunk: Buffer) => void
  readonly end: () => void
}

/** A body that is filled as it comes in. `letGo` is called when it is destroyed; */
export function createBody({
  flow,
  letGo,
  waits = () => {},
}: {
  readonly flow: Flow
  readonly letGo: () => void
  /** Whether the upstream is waited for, in contrast to the reader. */
  readonly waits?: (isWaiting: boolean) => void
}): Body {
  const stream = new Readable({
    read: () => {
      waits(true)
      flow.resume()
    },
    destroy: (error, callback) => {
      waits(false)
      letGo()
      callback(error)
    },
  })
  // Whoever reads it is told; before anybody does, nobody waits for it.
  stream.on('error', () => {})
  return {
    stream,
    push: (chunk) => {
      const wantsMore = stream.push(chunk)
      waits(wantsMore)
      if (!wantsMore) flow.pause()
    },
    end: () => {
      waits(false)
      stream.push(null)
    },
  }
}
