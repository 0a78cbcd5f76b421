import { isRecord } from '../checked.ts'

type JsonObject = Readonly<Record<string, unknown>>

/** An entry lacks something that a cassette needs; the message names it. */
export class EntryError extends Error {}

/** The members of an entry, each with its type. @throws EntryError */
export function record(value: unknown, name: string): JsonObject {
  return isRecord(value) ? value : fault(name)
}

export function text(value: unknown, name: string): string {
  return typeof value === 'string' ? value : fault(name)
}

export function number(value: unknown, name: string): number {
  return typeof value === 'number' ? value : fault(name)
}

/** The bytes of the text that HAR holds for a body; none when there is none. */
export function readContent(content: unknown, name: string): Uint8Array {
  if (content === undefined) return new Uint8Array(0)
  const { text: held, encoding } = record(content, name)
  if (held === undefined) return new Uint8Array(0)
  return Buffer.from(text(held, `${name}.text`), encoding === 'base64' ? 'base64' : 'utf8')
}

export function fault(name: string): never {
  throw new EntryError(`${name} is missing or has the wrong type`)
}
