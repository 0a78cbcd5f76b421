import { append } from '../../map-entries.ts'
import type { Cassette, Interaction } from '../interaction.ts'
import { headerIgnored, type Meaning, meaningOf } from './meaning.ts'

export type FieldDifference = {
  /** `status`, or a part and a pointer such as `reply-body /outcome`. */
  readonly at: string
  readonly kind: 'added' | 'removed' | 'type' | 'value'
  readonly before?: string
  readonly after?: string
}

export type InteractionRef = { readonly sequence: number; readonly title: string }

export type CassetteDiff = {
  readonly added: readonly InteractionRef[]
  readonly removed: readonly InteractionRef[]
  readonly changed: readonly {
    readonly before: InteractionRef
    readonly after: InteractionRef
    readonly differences: readonly FieldDifference[]
  }[]
}

/**
 * What two cassettes say differently. Bound values are compared by which of them are equal, instants and the headers
 * of the moment not at all; number spellings count.
 */
export function diffCassettes(before: Cassette, after: Cassette): CassetteDiff {
  const old = grouped(meanings(before))
  const young = grouped(meanings(after))
  const added: InteractionRef[] = []
  const removed: InteractionRef[] = []
  const changed: { before: InteractionRef; after: InteractionRef; differences: FieldDifference[] }[] = []
  for (const [key, list] of old) {
    const { pairs, left, right } = paired(list, young.get(key) ?? [])
    young.delete(key)
    removed.push(...left.map(refOf))
    added.push(...right.map(refOf))
    for (const [a, b] of pairs) {
      const differences = compare(a, b)
      if (differences.length > 0) changed.push({ before: refOf(a), after: refOf(b), differences })
    }
  }
  for (const list of young.values()) added.push(...list.map(refOf))
  const bySequence = (a: InteractionRef, b: InteractionRef) => a.sequence - b.sequence
  return {
    added: added.sort(bySequence),
    removed: removed.sort(bySequence),
    changed: changed.sort((a, b) => bySequence(a.before, b.before)),
  }
}

function meanings(cassette: Cassette): Meaning[] {
  const numbers = new Map<string, number>()
  return [...cassette.interactions].sort(byStart).map((interaction) => meaningOf(interaction, numbers))
}

function byStart(a: Interaction, b: Interaction): number {
  return a.sequence - b.sequence
}

function grouped(list: readonly Meaning[]): Map<string, Meaning[]> {
  const groups = new Map<string, Meaning[]>()
  for (const meaning of list) append(groups, meaning.key, meaning)
  return groups
}

/** Equal ones first, in order; what is left over, in order as well. */
function paired(before: readonly Meaning[], after: readonly Meaning[]) {
  const waiting = new Map<string, Meaning[]>()
  for (const meaning of after) append(waiting, printOf(meaning), meaning)
  const same = new Set<Meaning>()
  const left = before.filter((meaning) => {
    const twin = waiting.get(printOf(meaning))?.shift()
    if (twin) same.add(twin)
    return twin === undefined
  })
  const right = after.filter((meaning) => !same.has(meaning))
  const both = Math.min(left.length, right.length)
  const pairs: [Meaning, Meaning][] = []
  for (let i = 0; i < both; i++) {
    const [a, b] = [left[i], right[i]]
    if (a && b) pairs.push([a, b])
  }
  return { pairs, left: left.slice(both), right: right.slice(both) }
}

function printOf({ values }: Meaning): string {
  return JSON.stringify([...values].filter(([at]) => !headerIgnored(at)).sort())
}

function compare(a: Meaning, b: Meaning): FieldDifference[] {
  const differences: FieldDifference[] = []
  for (const [at, before] of a.values) {
    if (headerIgnored(at)) continue
    const after = b.values.get(at)
    if (after === undefined) differences.push({ at, kind: 'removed', before: before.text })
    else if (after.type !== before.type)
      differences.push({ at, kind: 'type', before: before.text, after: after.text })
    else if (after.text !== before.text)
      differences.push({ at, kind: 'value', before: before.text, after: after.text })
  }
  for (const [at, after] of b.values)
    if (!a.values.has(at) && !headerIgnored(at)) differences.push({ at, kind: 'added', after: after.text })
  return differences
}

function refOf({ sequence, title }: Meaning): InteractionRef {
  return { sequence, title }
}

export function formatDiff({ added, removed, changed }: CassetteDiff): string {
  const lines: string[] = []
  for (const { sequence, title } of removed) lines.push(`- #${sequence} ${title}`)
  for (const { sequence, title } of added) lines.push(`+ #${sequence} ${title}`)
  for (const { before, after, differences } of changed) {
    lines.push(
      `~ #${before.sequence}${after.sequence === before.sequence ? '' : ` -> #${after.sequence}`} ${before.title}`,
    )
    for (const { at, kind, before: from, after: to } of differences)
      lines.push(
        `    ${at}: ${kind === 'added' ? `added ${to}` : kind === 'removed' ? `removed ${from}` : `${from} -> ${to}`}`,
      )
  }
  return lines.length === 0 ? 'The cassettes say the same.\n' : `${lines.join('\n')}\n`
}
