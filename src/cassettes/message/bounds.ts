/**
 * How far a body is looked into. Everything that reads one is linear in its bytes and stays within these bounds; a body
 * beyond one of them is not kept, since nobody could say what is in it.
 */
export const MAX_BODY_BYTES = 16 * 1024 * 1024
/** What packed bytes may unpack to: a few kilobytes can be made to be gigabytes. */
export const MAX_UNPACKED_BYTES = 16 * 1024 * 1024
/** Packed in packed, encoded in encoded. */
export const MAX_LAYERS = 4
/** The edge refuses bodies that are nested deeper. */
export const MAX_DEPTH = 64
export const MAX_FIELDS = 250_000
/** Secrets and personal values that are replaced in one message. A page of this interface holds some hundreds. */
export const MAX_REPLACED = 10_000
/** Of the pointers of all fields of a body together: each repeats the names above it. */
export const MAX_POINTER_LENGTH = 32 * 1024 * 1024

/** Which bound a body is beyond. */
export type Beyond =
  | 'too-long'
  | 'too-deep'
  | 'too-many-fields'
  | 'too-many-secrets'
  | 'unpacks-too-far'
  | 'unknown-packing'
  | 'too-much'

/** Thrown by a reader that gives up; `withinBounds` makes a value of it. */
export class BeyondBound extends Error {
  readonly beyond: Beyond

  constructor(beyond: Beyond) {
    super(beyond)
    this.beyond = beyond
  }
}

/**
 * What `work` makes; `beyond` says what stands for it when that gives up. A RangeError is how the platform says that
 * something is too much for it, such as a text that cannot be as long or a call with too many arguments: one body must not
 * end what goes on with the others.
 */
export function withinBounds<T>(work: () => T, beyond: (which: Beyond) => T): T {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof BeyondBound) return beyond(cause.beyond)
    if (cause instanceof RangeError) return beyond('too-much')
    throw cause
  }
}

/** Counts the fields of one body and the length of their pointers. */
export function createFieldCount(): (pointer: string) => void {
  let fields = 0
  let length = 0
  return (pointer) => {
    fields++
    length += pointer.length
    if (fields > MAX_FIELDS || length > MAX_POINTER_LENGTH) throw new BeyondBound('too-many-fields')
  }
}
