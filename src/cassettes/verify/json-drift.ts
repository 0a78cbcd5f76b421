import { canonicalNumber } from '../../http/decimal.ts'
import { instantOf, isInstantName } from '../message/instants.ts'
import { escapeName, type JsonNode } from '../message/json-tree.ts'
import { withoutOrigin } from './live-values.ts'
import type { Drift, DriftContext } from './report.ts'

export type JsonContext = DriftContext & {
  /** Pointers of what is bound or redacted: its type counts, its value does not. */
  readonly free: ReadonlySet<string>
  readonly operation: string | undefined
}

/** Text for people. */
const PROSE = new Set(['detail', 'title', 'resolution'])

/** How a live JSON body differs from the recorded one, by the exact spelling of its values. */
export function jsonDrift(was: JsonNode, is: JsonNode, context: JsonContext): Drift[] {
  const drifts: Drift[] = []
  const { free, operation } = context
  const isCounters = operation === 'portal.usage'
  const allVolatile = isAboutTheMoment(operation)
  const push = (pointer: string, drift: Omit<Drift, 'at'>) =>
    drifts.push({ at: `reply-body ${pointer}`, ...drift })

  const compare = (before: JsonNode, now: JsonNode, pointer: string, name: string): void => {
    const volatile =
      allVolatile || PROSE.has(name) || context.volatile.has(name.toLowerCase()) || context.varies(pointer)
    const [from, to] = [typeOf(before), typeOf(now)]
    if (from !== to) {
      // The last page of a list has no cursor, and a list grows.
      const kind = volatile && (from === 'null' || to === 'null') ? 'value' : 'type'
      push(pointer, { kind, breaking: kind === 'type', recorded: shown(before), live: shown(now) })
    } else if (before.kind === 'object' && now.kind === 'object') {
      const members = new Map(now.members.map((member) => [member.name, member.node]))
      const known = new Set(before.members.map((member) => member.name))
      for (const { name: key, node } of before.members) {
        const at = `${pointer}/${escapeName(key)}`
        const twin = members.get(key)
        if (twin) compare(node, twin, at, key)
        else push(at, { kind: 'removed', breaking: true, recorded: shown(node) })
      }
      for (const { name: key, node } of now.members)
        if (!known.has(key))
          push(`${pointer}/${escapeName(key)}`, { kind: 'added', breaking: false, live: typeOf(node) })
    } else if (before.kind === 'array' && now.kind === 'array') {
      compareItems(before.items, now.items, pointer, name, volatile)
    } else compareTexts(before, now, pointer, name, volatile)
  }

  const compareItems = (
    before: readonly JsonNode[],
    now: readonly JsonNode[],
    pointer: string,
    name: string,
    volatile: boolean,
  ): void => {
    for (const [i, node] of before.entries()) {
      const twin = now[i]
      if (twin) compare(node, twin, `${pointer}/${i}`, name)
      else if (!volatile) push(`${pointer}/${i}`, { kind: 'removed', breaking: true, recorded: shown(node) })
    }
    if (before.length === now.length) return
    if (volatile) {
      const [recorded, live] = [`${before.length} items`, `${now.length} items`]
      push(pointer, { kind: 'value', breaking: false, recorded, live })
    } else
      for (const [i, node] of now.entries())
        if (i >= before.length)
          push(`${pointer}/${i}`, { kind: 'added', breaking: false, live: typeOf(node) })
  }

  const compareTexts = (
    before: JsonNode,
    now: JsonNode,
    pointer: string,
    name: string,
    volatile: boolean,
  ): void => {
    const [text, live] = [rawText(before), rawText(now)]
    if (text === live || free.has(pointer) || isCounters) return
    const instant = instantOf(text) !== undefined
    if (instant && instantOf(live) === undefined) {
      push(pointer, { kind: 'type', breaking: true, recorded: shown(before), live: shown(now) })
      return
    }
    if (instant || isInstantName(name)) return
    if (before.kind === 'number' && canonicalNumber(text) === canonicalNumber(live)) return
    if (text.startsWith(`${context.origin}/`) && withoutOrigin(text) === withoutOrigin(live)) return
    push(pointer, { kind: 'value', breaking: !volatile, recorded: shown(before), live: shown(now) })
  }

  compare(was, is, '', '')
  return drifts
}

/** A list shows what others have made as well, and the usage what has been used. */
function isAboutTheMoment(operation: string | undefined): boolean {
  return operation === 'portal.usage' || (operation?.endsWith('.list') ?? false)
}

function typeOf(node: JsonNode): string {
  if (node.kind !== 'literal') return node.kind
  return node.text === 'null' ? 'null' : 'boolean'
}

function rawText(node: JsonNode): string {
  if (node.kind === 'string') return node.value
  return node.kind === 'number' || node.kind === 'literal' ? node.text : ''
}

function shown(node: JsonNode): string {
  if (node.kind === 'object' || node.kind === 'array') return node.kind
  return node.kind === 'string' ? JSON.stringify(node.value) : node.text
}
