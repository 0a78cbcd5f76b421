import type { HeaderLine } from '../../http/header-lines.ts'
import {
  type Binding,
  NO_REPLY,
  type NoReply,
  type PairDigest,
  type Place,
  type Redaction,
} from '../interaction.ts'

/** Checks of what a file claims to hold. Each returns the value with its type, or undefined. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function headerLines(value: unknown): readonly HeaderLine[] | undefined {
  const lines = Array.isArray(value) && value.every(isHeaderLine)
  return lines ? (value as readonly HeaderLine[]) : undefined
}

export function bindings(value: unknown): readonly Binding[] | undefined {
  const good =
    Array.isArray(value) &&
    value.every(
      (item) =>
        isRecord(item) &&
        typeof item.type === 'string' &&
        typeof item.value === 'string' &&
        (item.madeBy === 'client' || item.madeBy === 'server') &&
        Array.isArray(item.places) &&
        item.places.every(isPlace),
    )
  return good ? (value as readonly Binding[]) : undefined
}

export function redactions(value: unknown): readonly Redaction[] | undefined {
  const good =
    Array.isArray(value) &&
    value.every(
      (item) =>
        isRecord(item) &&
        isPlace(item.place) &&
        (item.kind === 'secret' || item.kind === 'personal') &&
        typeof item.rule === 'string',
    )
  return good ? (value as readonly Redaction[]) : undefined
}

/** Undefined as well for a reason that a later version has added: that there is no reply is said by its absence. */
export function noReply(value: unknown): NoReply | undefined {
  return NO_REPLY.find((reason) => reason === value)
}

export function pairDigest(value: unknown): PairDigest | undefined {
  if (!isRecord(value) || typeof value.digest !== 'string') return undefined
  const { kind, salt, digest } = value
  if (kind === 'hmac') return { kind, digest }
  return kind === 'scrypt' && typeof salt === 'string' ? { kind, salt, digest } : undefined
}

const PARTS: readonly unknown[] = [
  'path',
  'query',
  'request-header',
  'request-body',
  'reply-header',
  'reply-body',
]

function isPlace(value: unknown): value is Place {
  return isRecord(value) && PARTS.includes(value.part) && typeof value.pointer === 'string'
}

function isHeaderLine(line: unknown): boolean {
  return (
    Array.isArray(line) && line.length === 2 && typeof line[0] === 'string' && typeof line[1] === 'string'
  )
}
