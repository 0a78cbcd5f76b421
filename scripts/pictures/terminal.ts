/*
 * A terminal as an SVG: text that can be read, selected and searched, on a ground of its own, so that it looks the same
 * on a light page and on a dark one.
 */

export type Line = {
  readonly text: string
  readonly look: 'prompt' | 'plain' | 'quiet' | 'bad' | 'good' | 'remedy'
}

export type Terminal = {
  readonly title: string
  readonly description: string
  readonly lines: readonly Line[]
}

/** As wide as can be read on a page that shows the picture at two thirds of its size. */
const COLUMNS = 78
const CELL = { width: 8.4, height: 21 }
const MARGIN = 22
const BAR = 38

export function terminalPicture({ title, description, lines }: Terminal): string {
  const rows = lines.flatMap(wrapped)
  const width = Math.round(COLUMNS * CELL.width) + 2 * MARGIN
  const height = BAR + rows.length * CELL.height + MARGIN
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d" font-family="ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">
<title id="t">${escaped(title)}</title>
<desc id="d">${escaped(description)}</desc>
<style>
text{white-space:pre}
.ground{fill:#14201f;stroke:#3b4a4b}.bar{fill:#8a95a5;font-size:12px}.plain{fill:#dbe4e4}.quiet{fill:#8fa3a3}.prompt{fill:#fff;font-weight:650}.bad{fill:#ff9d94;font-weight:650}.good{fill:#7fd8b4}.remedy{fill:#ffd479}
</style>
<rect class="ground" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="12"/>
<circle cx="24" cy="20" r="5" fill="#3b4a4b"/><circle cx="42" cy="20" r="5" fill="#3b4a4b"/><circle cx="60" cy="20" r="5" fill="#3b4a4b"/><text class="bar" x="${width / 2}" y="24" text-anchor="middle">${escaped(title)}</text>
${rows.map(row).join('\n')}
</svg>
`
}

/** The indentation is where a line begins, and its length is given: fonts differ, and white space would be lost. */
function row({ text, look }: Line, index: number): string {
  const body = text.trimStart()
  if (body === '') return ''
  const x = MARGIN + (text.length - body.length) * CELL.width
  const y = BAR + (index + 0.75) * CELL.height
  return `<text class="${look}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" textLength="${(body.length * CELL.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${escaped(body)}</text>`
}

/** Breaks a line between words, as a terminal of this width would between letters, and indents what follows. */
function wrapped({ text, look }: Line): Line[] {
  if (text.length <= COLUMNS) return [{ text, look }]
  const at = text.lastIndexOf(' ', COLUMNS)
  const cut = at > COLUMNS / 2 ? at : COLUMNS
  const indent = `${/^ */.exec(text)?.[0] ?? ''}    `
  return [
    { text: text.slice(0, cut), look },
    ...wrapped({ text: indent + text.slice(cut).trimStart(), look }),
  ]
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
