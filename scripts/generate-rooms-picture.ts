import {
  type Floor,
  folderOf,
  graph,
  type House,
  LAYERS,
  ROOMS,
  reaches,
  readHouse,
  roomOf,
} from './rooms.ts'

/*
 * docs/images/rooms.svg: the folders of src on their floors, and the rooms of src/cassettes beside them. An arrow says
 * that a room imports another; those that follow from others are left out, so that the picture can be read.
 */

const BOX = { width: 164, least: 122, height: 46, gap: 10, rise: 78 }
const PLAN_WIDTH = { house: 800, cassettes: 360 }
const MARGIN = 28
const TOP = 76

type Box = { readonly x: number; readonly y: number; readonly width: number }

export function roomsPicture(): string {
  const house = readHouse()
  const cassetteRoom = (file: string) => (folderOf(file) === 'cassettes' ? roomOf(file) : undefined)
  const left = plan(house, LAYERS, folderOf, MARGIN, PLAN_WIDTH.house)
  const right = plan(house, ROOMS, cassetteRoom, MARGIN * 2 + PLAN_WIDTH.house, PLAN_WIDTH.cassettes)
  const width = PLAN_WIDTH.house + PLAN_WIDTH.cassettes + MARGIN * 3
  const height = Math.max(left.bottom, right.bottom) + MARGIN
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="t d" font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif">
<title id="t">The rooms of the code</title>
<desc id="d">The folders of src from top to bottom, with an arrow from each to those that it imports; every arrow runs down. Beside them the rooms inside src/cassettes.</desc>
<style>
.room{fill:#fff;stroke:#c3cad6}.h{font-size:12.5px;font-weight:650;fill:#15202b}.s{font-size:11px;fill:#4d5969}.n{font-size:10.5px;fill:#8a95a5}
.line{stroke:#8a95a5;stroke-width:1.2;fill:none;opacity:.75}.plan{fill:#f5f7fa}
</style>
<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0 8 4 0 8z" fill="#8a95a5"/></marker></defs>
<rect class="plan" width="${width}" height="${height}" rx="14"/>
<text class="h" x="${MARGIN}" y="36">src</text><text class="s" x="${MARGIN}" y="54">a folder imports only from those below it</text>
<text class="h" x="${MARGIN * 2 + PLAN_WIDTH.house}" y="36">src/cassettes</text><text class="s" x="${MARGIN * 2 + PLAN_WIDTH.house}" y="54">the same, inside</text>
${left.text}
${right.text}
</svg>
`
}

function plan(
  house: House,
  floors: readonly Floor[],
  nameOf: (file: string) => string | undefined,
  x: number,
  width: number,
): { readonly text: string; readonly bottom: number } {
  const edges = graph(house, nameOf)
  const boxes = new Map<string, Box>()
  let y = TOP
  for (const floor of floors) {
    for (const row of rowsOf(Object.keys(floor), edges, width)) {
      const step = Math.min(BOX.width + BOX.gap, (width + BOX.gap) / row.length)
      const space = row.length * step - BOX.gap
      row.forEach((name, column) => {
        const at = x + (width - space) / 2 + column * step
        boxes.set(name, { x: Math.round(at), y, width: Math.round(step - BOX.gap) })
      })
      y += BOX.height + BOX.gap * 2
    }
    y += BOX.rise - BOX.height - BOX.gap * 2
  }
  const arrows = [...edges].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => isEssential(edges, from, to))
      .map((to) => arrow(boxes.get(from), boxes.get(to))),
  )
  const rooms = floors.flatMap((floor) =>
    Object.entries(floor).map(([name, says]) => room(name, says, boxes.get(name), size(house, nameOf, name))),
  )
  const text = [...arrows, ...rooms].filter((line) => line !== '').join('\n')
  return { text, bottom: Math.max(...[...boxes.values()].map((box) => box.y)) + BOX.height }
}

/** Rows of rooms that are wide enough to be read, in which each stands above those of its floor that it imports. */
function rowsOf(
  names: readonly string[],
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  width: number,
): readonly (readonly string[])[] {
  const heightOf = (name: string): number =>
    Math.max(
      0,
      ...names
        .filter((other) => other !== name && edges.get(name)?.has(other))
        .map((other) => heightOf(other) + 1),
    )
  const most = Math.floor((width + BOX.gap) / (BOX.least + BOX.gap))
  const heights = [...new Set(names.map(heightOf))].sort((a, b) => b - a)
  return heights.flatMap((height) => {
    const level = names.filter((name) => heightOf(name) === height)
    const size = Math.ceil(level.length / Math.ceil(level.length / most))
    return Array.from({ length: Math.ceil(level.length / size) }, (_, i) =>
      level.slice(i * size, (i + 1) * size),
    )
  })
}

/** An arrow that no longer way implies. */
function isEssential(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  if (from === to) return false
  return ![...(edges.get(from) ?? [])].some((other) => other !== to && reaches(edges, other, to))
}

function size({ sources }: House, nameOf: (file: string) => string | undefined, name: string): string {
  const files = [...sources].filter(([file]) => nameOf(file) === name)
  return files.length === 1 ? '' : `${files.length} files`
}

function arrow(from: Box | undefined, to: Box | undefined): string {
  if (!from || !to) return ''
  const [x1, y1, x2, y2] = [from.x + from.width / 2, from.y + BOX.height, to.x + to.width / 2, to.y - 3]
  const bend = Math.min(60, (y2 - y1) / 2)
  return `<path class="line" d="M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}" marker-end="url(#a)"/>`
}

function room(name: string, says: string, box: Box | undefined, count: string): string {
  if (!box) return ''
  const { x, y, width } = box
  return (
    `<rect class="room" x="${x}" y="${y}" width="${width}" height="${BOX.height}" rx="8"/>` +
    `<text class="h" x="${x + 9}" y="${y + 19}">${name.replace(/\.ts$/, '')}</text>` +
    `<text class="n" x="${x + width - 10}" y="${y + 19}" text-anchor="end">${count}</text>` +
    `<text class="s" x="${x + 9}" y="${y + 36}">${says}</text>`
  )
}
