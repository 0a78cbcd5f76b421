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
  /** What has passed; the memory belongs to the caller from here on. */
  readonly take: () => Uint8Array
  /** Whether all that has passed was kept. */
  readonly isWhole: () => boolean
}

export type CaptureRoom = { readonly capture: () => Capture }

/** `onOverflow` is called when a body is not kept as a whole; the body itself passes on regardless. */
export function createCaptureRoom(bounds: Bounds, onOverflow: (detail: string) => void): CaptureRoom {
  let held = 0
  return {
    capture: () => {
      let chunks: Uint8Array[] = []
      let length = 0
      let overflown = false
      const drop = () => {
        held -= length
        chunks = []
        length = 0
      }
      return {
        add: (chunk) => {
          if (overflown) return
          const tooLong = length + chunk.length > bounds.bodyBytes
          if (tooLong || held + chunk.length > bounds.heldBytes) {
            overflown = true
            drop()
            onOverflow(
              tooLong
                ? `a body was longer than ${bounds.bodyBytes} bytes.`
                : `the bodies on their way were longer than ${bounds.heldBytes} bytes.`,
            )
            return
          }
          chunks.push(chunk)
          length += chunk.length
          held += chunk.length
        },
        take: () => {
          const body = Buffer.concat(chunks)
          drop()
          return body
        },
        isWhole: () => !overflown,
      }
    },
  }
}
