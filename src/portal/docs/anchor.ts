import type { OperationRow } from '../../operations/operation.ts'

/** Where an operation is in the reference: how the library names it, so that a link leads there. */
export function operationAnchor({ method, path }: Pick<OperationRow, 'method' | 'path'>): string {
  return `${method.toLowerCase()}-${path.replaceAll(/[\s#:?&={}]/g, '-')}`
}
