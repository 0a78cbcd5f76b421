/** The first SIGTERM or SIGINT asks to stop; the second one is not caught any more and ends the process. */
export function stopSignal() {
  let cancel = () => {}
  const received = new Promise<NodeJS.Signals>((resolve) => {
    const onSignal = (signal: NodeJS.Signals) => {
      cancel()
      resolve(signal)
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
