/**
 * One Ctrl-C, or one signal to a whole group, comes twice to a program that npm has started: from the terminal, and
 * passed on by npm. What comes this soon after the first is the same request.
 */
const SAME_MS = 250

/** The first SIGTERM or SIGINT asks to stop; a second one ends the process as if nobody had caught it. */
export function stopSignal() {
  let cancel = () => {}
  const received = new Promise<NodeJS.Signals>((resolve) => {
    let askedAt: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      const now = performance.now()
      if (askedAt === undefined) {
        askedAt = now
        resolve(signal)
      } else if (now - askedAt >= SAME_MS) {
        cancel()
        process.kill(process.pid, signal)
      }
    }
    cancel = () => {
      process.off('SIGTERM', onSignal)
      process.off('SIGINT', onSignal)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
  return { received, cancel }
}
