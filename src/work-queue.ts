/** Pieces of work, one after the other in the order in which they were asked for; none is held up by one that fails. */
export type WorkQueue = {
  /** Resolves, or rejects, as the work does. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>
  /** Resolves when all that has been asked for by now is over, however it ended. */
  readonly idle: () => Promise<unknown>
}

export function createWorkQueue(): WorkQueue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (work) => {
      const done = last.then(work)
      last = done.catch(() => undefined)
      return done
    },
    idle: () => last,
  }
}
