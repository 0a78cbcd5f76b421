/** Percent-encoded text, decoded; undefined when it is not that, or not UTF-8. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** A name or value of `application/x-www-form-urlencoded`, decoded; undefined when it is not that, or not UTF-8. */
export function decodeForm(text: string): string | undefined {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

/** For text that is read whatever it is: what cannot be decoded stands for itself. */
export function decodePercentOrKeep(text: string): string {
  return decodePercent(text) ?? text
}

export function decodeFormOrKeep(text: string): string {
  return decodeForm(text) ?? text
}
