/** One replacement in a text: everything outside `start` to `end` stays as it is. */
export type Splice = { readonly start: number; readonly end: number; readonly text: string }

/** Applies replacements that are in the order of the text and do not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  if (splices.length === 0) return text
  const pieces: string[] = []
  let rest = 0
  for (const splice of splices) {
    pieces.push(text.slice(rest, splice.start), splice.text)
    rest = splice.end
  }
  pieces.push(text.slice(rest))
  return pieces.join('')
}
