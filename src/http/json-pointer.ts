const SHOWN = 64

/**
 * A property name or index as a step of a JSON pointer (RFC 6901). Names come from outside and are repeated in
 * errors, so a long one is cut and an ill-formed one repaired.
 */
export function pointerStep(name: string | number): string {
  const text = String(name)
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}...` : text
  return `/${short.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')}`
}
