/**
 * What a field's schema says beside JSON Schema. The checks, the log and redaction read it; the OpenAPI document leaves
 * it out. A field is written once, in fields.ts or in its operation, and so is what there is to know about it.
 */
export type Annotations = {
  /** Completes the sentence "must be …" of every error about the field. */
  readonly expected?: string
  /** A date before today (read of the properties of a body or query, not deeper). */
  readonly past?: true
  /** Personal: no log has it, and a cassette has a stand-in of the same form in its place. */
  readonly personal?: true
  /** What the stand-ins of a personal field begin with, where its name would not do: `First-1`. */
  readonly standIn?: string
  /** A secret: never logged, stored or recorded. */
  readonly secret?: true
  /** A client id: it names a key or a tenant, or is a sandbox key. */
  readonly clientId?: true
  /** Made up by the client anew in every run: a replay does not compare it. */
  readonly volatile?: true
}

export const ANNOTATIONS = [
  'expected',
  'past',
  'personal',
  'standIn',
  'secret',
  'clientId',
  'volatile',
] as const satisfies readonly (keyof Annotations)[]
