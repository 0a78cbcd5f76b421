import { printable } from '../terminal.ts'

/** What is quicker says nothing, and a line that changes more often cannot be read. */
const AFTER_MS = 1000
const EVERY_MS = 100
const CLEAR = '\r\u001b[K'

/** A line on a terminal about work that takes longer than a second; nothing where no terminal is. */
export type Progress = {
  readonly at: (text: string) => void
  /** Takes the line away. */
  readonly done: () => void
}

export function terminalProgress(
  stream: { readonly isTTY?: boolean; readonly write: (text: string) => unknown } = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  const started = now()
  let shown = Number.NEGATIVE_INFINITY
  return {
    at: (text) => {
      const time = now()
      if (stream.isTTY !== true || time - started < AFTER_MS || time - shown < EVERY_MS) return
      shown = time
      stream.write(`${CLEAR}${printable(text)}`)
    },
    done: () => {
      if (shown > Number.NEGATIVE_INFINITY) stream.write(CLEAR)
      shown = Number.NEGATIVE_INFINITY
    },
  }
}
