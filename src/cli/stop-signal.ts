/**
 * Resolves with the exit code 0 at the first SIGINT or SIGTERM, for what is stopped as asked. A second signal is not
 * caught any more and ends the process.
 */
export function stopSignal(): Promise<number> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
      resolve(0)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}
