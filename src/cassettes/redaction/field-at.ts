import { partitionPoint } from '../../partition-point.ts'
import type { EditableField } from '../message/body-fields.ts'

/** The field that the bytes from `start` to `end` stand in. The fields are in the order of their bytes. */
export function fieldAt(
  fields: readonly EditableField[],
  start: number,
  end: number,
): EditableField | undefined {
  const field = fields[partitionPoint(fields.length, (i) => (fields[i]?.start ?? 0) <= start) - 1]
  return field && field.end >= end ? field : undefined
}
