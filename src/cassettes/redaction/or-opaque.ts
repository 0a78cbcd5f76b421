import { withinBounds } from '../message/bounds.ts'
import { opaqueBody, type ReadableBody } from '../message/readable-body.ts'

/**
 * What `work` makes of a body. One that it gives up on is `opaque` from then on, as one that could not be read at all;
 * `instead` is what is made of that.
 */
export function orOpaque<T>(
  body: ReadableBody,
  work: () => T,
  instead: T,
): { readonly body: ReadableBody; readonly made: T } {
  if (body.encoding === 'opaque') return { body, made: instead }
  return withinBounds(
    () => ({ body, made: work() }),
    (beyond) => ({ body: opaqueBody(beyond), made: instead }),
  )
}
