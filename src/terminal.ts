/**
 * A text from outside that may be shown on a terminal: control characters and direction marks, which a terminal would
 * obey, are written as escapes, as JSON writes them. `kept`: those that stay, such as a line break.
 */
export function printable(text: string, kept = ''): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    if (kept.includes(character)) return character
    return character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
  })
}
