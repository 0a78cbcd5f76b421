import { randomUUID } from 'node:crypto'

/** The trace that a request belongs to: W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export type TraceParent = {
  /** 32 hex digits. */
  readonly traceId: string
  /** The caller's span: 16 hex digits. */
  readonly parentId: string
  readonly sampled: boolean
}

/** Of a later version more may follow, behind another dash. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const MAX_LENGTH = 512

/**
 * A traceparent that is valid, or undefined. An invalid one means that there is no trace (section 3.2.2.5), never that
 * the request is refused; two of them arrive joined by a comma and are invalid.
 */
export function readTraceparent(header: string | string[] | undefined): TraceParent | undefined {
  if (typeof header !== 'string' || header.length > MAX_LENGTH) return undefined
  const [, version, traceId = '', parentId = '', flags = '', rest] = FORM.exec(header.trim()) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** A span of our own, as a traceparent: below the caller's, or, where there is none, in a trace that nobody samples. */
export function childOf(parent: TraceParent | undefined): string {
  // Node keeps random UUIDs in store, and no other random bytes. What is fixed in them is never zero.
  const span = randomUUID().slice(0, 18).replaceAll('-', '')
  const traceId = parent?.traceId ?? randomUUID().replaceAll('-', '')
  return `00-${traceId}-${span}-${parent?.sampled ? '01' : '00'}`
}
