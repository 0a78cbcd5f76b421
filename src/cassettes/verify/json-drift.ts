import { canonicalNumber } from '../../http/decimal.ts'
import { withoutOrigin } from '../../http/target.ts'
import { rowOf } from '../../operations/operations.ts'
import { instantOf, isInstantName } from '../message/instants.ts'
import { eachPair, isOneType, type JsonPair } from '../message/json-pairs.ts'
import { type JsonNode, type JsonScalar, scalarText, typeName } from '../message/json-tree.ts'
import { placeKey } from '../message/place.ts'
import type { Drift, DriftContext } from './report.ts'

export type JsonContext = DriftContext & {
  /** Pointers of what is bound or redacted: its type counts, its value does not. */
  readonly free: ReadonlySet<string>
  readonly operation: string | undefined
}

/** Text for people. */
const PROSE = new Set(['detail', 'title', 'resolution'])

/**
 * How a live JSON body differs from the recorded one, by the exact spelling of its values. `miss/request-diff.ts` walks
 * the same way and judges otherwise: there every difference counts, here what a client can rest on.
 */
export function jsonDrift(was: JsonNode, is: JsonNode, context: JsonContext): Drift[] {
  const drifts: Drift[] = []
  const allVolatile = rowOf(context.operation)?.shows !== undefined
  const isVolatile = (pointer: string, name: string): boolean =>
    allVolatile || PROSE.has(name) || context.volatile.has(name.toLowerCase()) || context.varies(pointer)

  eachPair(was, is, (pair) => {
    const drift = driftOf(pair, context, isVolatile)
    if (drift) drifts.push({ at: placeKey({ part: 'reply-body', pointer: pair.pointer }), ...drift })
  })
  return drifts
}

type OneDrift = Omit<Drift, 'at'>
type IsVolatile = (pointer: string, name: string) => boolean

function driftOf(pair: JsonPair, context: JsonContext, isVolatile: IsVolatile): OneDrift | undefined {
  const { was, is, pointer, name, isItem } = pair
  if (was === undefined || is === undefined) {
    // That a volatile list has another length is told once, of the list.
    if (isItem && isVolatile(pointer.slice(0, pointer.lastIndexOf('/')), name)) return undefined
    if (was) return { kind: 'removed', breaking: true, recorded: shown(was) }
    return is && { kind: 'added', breaking: false, live: typeName(is) }
  }
  const volatile = isVolatile(pointer, name)
  if (!isOneType(pair)) {
    // The last page of a list has no cursor, and a list grows.
    const kind = volatile && [was, is].some((node) => typeName(node) === 'null') ? 'value' : 'type'
    return { kind, breaking: kind === 'type', recorded: shown(was), live: shown(is) }
  }
  if (was.kind === 'array' && is.kind === 'array') {
    if (!volatile || was.items.length === is.items.length) return undefined
    const [recorded, live] = [`${was.items.length} items`, `${is.items.length} items`]
    return { kind: 'value', breaking: false, recorded, live }
  }
  return scalarDrift(pair, was as JsonScalar, is as JsonScalar, context, volatile)
}

function scalarDrift(
  { pointer, name }: JsonPair,
  was: JsonScalar,
  is: JsonScalar,
  { free, operation, origin }: JsonContext,
  volatile: boolean,
): OneDrift | undefined {
  const [text, live] = [scalarText(was), scalarText(is)]
  const isCounter = rowOf(operation)?.shows === 'usage'
  if (text === live || free.has(pointer) || isCounter) return undefined
  const isInstant = instantOf(text) !== undefined
  if (isInstant && instantOf(live) === undefined)
    return { kind: 'type', breaking: true, recorded: shown(was), live: shown(is) }
  if (isInstant || isInstantName(name)) return undefined
  if (was.kind === 'number' && canonicalNumber(text) === canonicalNumber(live)) return undefined
  if (text.startsWith(`${origin}/`) && withoutOrigin(text) === withoutOrigin(live)) return undefined
  return { kind: 'value', breaking: !volatile, recorded: shown(was), live: shown(is) }
}

function shown(node: JsonNode): string {
  if (node.kind === 'object' || node.kind === 'array') return node.kind
  return node.kind === 'string' ? JSON.stringify(node.value) : node.text
}
