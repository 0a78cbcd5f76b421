export type BreakerOptions = {
  readonly requests: number
  readonly failurePercent: number
  readonly windowSeconds: number
  readonly openSeconds: number
}

export type BreakerState = 'closed' | 'open' | 'half-open'

/** A request that was let through; told once what it came to. */
export type Pass = (isFailure: boolean) => void

export type Breaker = {
  /** Lets a request through, or says for how many seconds none is. */
  readonly enter: () => { readonly pass: Pass } | { readonly retryAfterSeconds: number }
  /** For how many seconds a request would be kept back; undefined when it would be let through. */
  readonly closedFor: () => number | undefined
  readonly state: () => BreakerState
}

const BUCKETS = 10

/**
 * A circuit breaker over a sliding window: it opens when enough of enough requests have failed, and lets one request
 * at a time through on trial after a while. `now`: milliseconds of a clock that only goes forward.
 */
export function createBreaker(
  { requests, failurePercent, windowSeconds, openSeconds }: BreakerOptions,
  now: () => number,
  onChange: (state: BreakerState) => void = () => {},
): Breaker {
  const bucketMs = (windowSeconds * 1000) / BUCKETS
  const buckets = Array.from({ length: BUCKETS }, () => ({ number: -1, total: 0, failed: 0 }))
  let opensUntil: number | undefined
  let isTrying = false
  /** What has begun before it opened says nothing about afterwards. */
  let generation = 0

  const state = (): BreakerState => {
    if (opensUntil === undefined) return 'closed'
    return now() < opensUntil ? 'open' : 'half-open'
  }

  function count(isFailure: boolean): void {
    const number = Math.floor(now() / bucketMs)
    const bucket = buckets[number % BUCKETS]
    if (!bucket) return
    if (bucket.number !== number) Object.assign(bucket, { number, total: 0, failed: 0 })
    bucket.total += 1
    if (!isFailure) return
    bucket.failed += 1
    let total = 0
    let failed = 0
    for (const each of buckets) {
      if (each.number <= number - BUCKETS) continue
      total += each.total
      failed += each.failed
    }
    if (total >= requests && failed * 100 >= total * failurePercent) open()
  }

  function open(): void {
    opensUntil = now() + openSeconds * 1000
    generation += 1
    onChange('open')
  }

  function close(): void {
    opensUntil = undefined
    generation += 1
    for (const bucket of buckets) bucket.number = -1
    onChange('closed')
  }

  function closedFor(): number | undefined {
    if (opensUntil === undefined) return undefined
    const left = opensUntil - now()
    if (left > 0) return Math.max(1, Math.ceil(left / 1000))
    return isTrying ? 1 : undefined
  }

  return {
    state,
    closedFor,
    enter: () => {
      const retryAfterSeconds = closedFor()
      if (retryAfterSeconds !== undefined) return { retryAfterSeconds }
      const began = generation
      if (opensUntil === undefined) {
        return { pass: (isFailure) => void (began === generation && count(isFailure)) }
      }
      isTrying = true
      onChange('half-open')
      return {
        pass: (isFailure) => {
          isTrying = false
          if (isFailure) open()
          else close()
        },
      }
    },
  }
}
