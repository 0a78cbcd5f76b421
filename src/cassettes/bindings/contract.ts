import { namedFields } from '../../operations/named-fields.ts'

/** What the client makes up anew in every run: its Idempotency-Key, and the fields that the contract calls volatile. */
export const VOLATILE: readonly string[] = [
  ...new Set([
    'Idempotency-Key',
    ...namedFields().flatMap(({ names, schema }) => (schema.volatile === true ? names.slice(-1) : [])),
  ]),
]
