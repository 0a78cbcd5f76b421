let seen = false
const note = (): void => {
  seen = true
}

/** From now on a SIGHUP is remembered instead of ending the process: a gateway that starts is asked to reload as well. */
export function rememberHangups(): void {
  process.on('SIGHUP', note)
}

/** Whether one has come; somebody else listens from now on. */
export function takeHangup(): boolean {
  process.off('SIGHUP', note)
  return seen
}
