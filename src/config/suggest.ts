/** `; did you mean port?`, or nothing when no candidate is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = closest(word, candidates)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

/** The candidate that differs least, the first of equals; undefined when each differs in more than a third of the letters. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined
  const typed = plain(word)
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const candidate of candidates) {
    const other = plain(candidate)
    // At least the difference in length.
    if (Math.abs(other.length - typed.length) >= bestDistance) continue
    const distance = editDistance(typed, other)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** `public_url` and `Public-URL` are spellings of publicUrl, not typing mistakes. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '')
}

/** How many letters are inserted, deleted, replaced, or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
