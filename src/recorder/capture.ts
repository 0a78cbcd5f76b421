import { createHash } from 'node:crypto'
import { digestText } from '../cassettes/redaction/body-digest.ts'

/** What the recorder keeps in memory of the bodies that are on their way. */
export type Bounds = {
  /** Of one body. */
  readonly bodyBytes: number
  /** Of all of them together. */
  readonly heldBytes: number
}

export const DEFAULT_BOUNDS: Bounds = { bodyBytes: 16 * 1024 * 1024, heldBytes: 64 * 1024 * 1024 }

/** The copy of a body as it passes. */
export type Capture = {
  readonly add: (chunk: Uint8Array) => void
  /**
   * What has passed; the memory belongs to the caller from here on. Of a body that is longer than one may be, what stands
   * for it in a cassette: its length and a digest, which takes its time.
   */
  readonly take: () => Uint8Array
  /** Gives up what has passed: nobody wants it any more. */
  readonly drop: () => void
  /** Whether all that has passed was kept. */
  readonly isWhole: () => boolean
  /** Whether it was dropped for want of room: then nothing stands for it. */
  readonly isLost: () => boolean
}

export type CaptureRoom = { readonly capture: () => Capture }

/** `onOverflow` is called when a body is not kept for want of room; the body itself passes on regardless. */
export function createCaptureRoom(bounds: Bounds, onOverflow: (detail: string) => void): CaptureRoom {
  let held = 0
  return {
    capture: () => {
      let chunks: Uint8Array[] = []
      let length = 0
      let passed = 0
      let overflown = false
      /** Of a body that is too long to be held. */
      let hash: ReturnType<typeof createHash> | undefined
      const drop = () => {
        held -= length
        chunks = []
        length = 0
      }
      return {
        add: (chunk) => {
          passed += chunk.length
          if (hash) {
            hash.update(chunk)
            return
          }
          if (overflown) return
          if (passed > bounds.bodyBytes) {
            hash = createHash('sha256')
            for (const before of chunks) hash.update(before)
            hash.update(chunk)
            drop()
            return
          }
          if (held + chunk.length > bounds.heldBytes) {
            overflown = true
            drop()
            onOverflow(`the bodies on their way were longer than ${bounds.heldBytes} bytes.`)
            return
          }
          chunks.push(chunk)
          length += chunk.length
          held += chunk.length
        },
        take: () => {
          if (hash) return Buffer.from(digestText(passed, hash.copy().digest()))
          const body = Buffer.concat(chunks)
          drop()
          return body
        },
        drop,
        isWhole: () => !overflown && hash === undefined,
        isLost: () => overflown,
      }
    },
  }
}
