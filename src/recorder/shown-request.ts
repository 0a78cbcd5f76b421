import { takeLane } from '../http/lane.ts'
import { originForm, splitTarget } from '../http/target.ts'
import { operationOf, ROWS } from '../operations/operations.ts'

/** The segments that the interface's own paths are made of. */
const KNOWN = new Set(
  ROWS.flatMap(({ path }) => path.split('/')).filter((segment) => !segment.startsWith('{')),
)

/**
 * A request for the person who watches: what it asks for, as the interface writes it. A path can hold an identifier, a
 * person or a key, and a console is kept by CI for years, so what the interface does not know is left out.
 */
export function shownRequest(method: string, url: string): string {
  const { target } = takeLane(originForm(url))
  const id = operationOf(method, target)
  const row = ROWS.find((each) => each.id === id)
  if (row) return `${row.method} ${row.path}`
  return `${method} ${shownPath(target)}`
}

/** A path, of which the words of the interface are left; without its query. */
export function shownPath(target: string): string {
  const segments = splitTarget(target).path.split('/')
  return segments.map((segment) => (KNOWN.has(segment) ? segment : '…')).join('/')
}
