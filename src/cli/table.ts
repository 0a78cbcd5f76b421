/** Rows as text in columns, with a heading; every line ends with a newline. */
export function columns(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows]
  const widths = heading.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)))
  return all
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
