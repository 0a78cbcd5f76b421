const SHOWN = 64

/** A property name or index as it is written in a JSON pointer (RFC 6901 section 3). */
export function escapeStep(name: string | number): string {
  const text = String(name)
  return text.includes('~') || text.includes('/') ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text
}

/** `/a~1b/0` is `['a/b', '0']`; the empty pointer is the whole. */
export function pointerSteps(pointer: string): readonly string[] {
  if (pointer === '') return []
  return pointer.slice(1).split('/').map(unescapeStep)
}

function unescapeStep(step: string): string {
  return step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step
}

/**
 * A property name or index as a step of a JSON pointer that is shown. Names come from outside and are repeated in
 * errors, so a long one is cut and an ill-formed one repaired.
 */
export function shownStep(name: string | number): string {
  const text = String(name)
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN - 3)}...` : text
  return `/${escapeStep(short.toWellFormed())}`
}
