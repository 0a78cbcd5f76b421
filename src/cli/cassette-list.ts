/** The items of an option that takes a list, with commas or spaces between them. */
export function listOf(text: string | true | undefined): readonly string[] {
  return typeof text === 'string' ? text.split(/[ ,]+/).filter((item) => item !== '') : []
}
