import { getOrMake } from '../../map-entries.ts'

/** `{"name": "password", "value": "…"}`: what a value is called stands beside it. */
const NAMING = new Set(['name', 'key', 'id', 'field', 'label', 'param', 'parameter', 'property', 'attribute'])
/** What says only in some objects what a value is: of `{"type": "phone", "value": …}`, and not of `{"type": "string"}`. */
const KINDS = new Set(['type', 'kind', 'system', 'k', 'header'])
const KIND_OF = /pass|secret|token|api.?key|pin|otp|cvv|phone|mobile|msisdn|mail/i
/** Of several names of one value, the last is its innermost one; an id and a label say least. */
const SAYS_LEAST = ['id', 'label', ...KINDS]
const VALUING = new Set(['value', 'val', 'v', 'values', 'content', 'text', 'data', 'string', 'answer'])
/** What a person would call a field; a key and an identifier look otherwise. */
const NAME_LIKE = /^[A-Za-z][A-Za-z .:_[\]-]{0,39}[0-9]?$/

type Named = { readonly names: readonly string[]; readonly pointer: string; readonly value: string }

/**
 * The fields, with what stands beside a value as its innermost name: of an object of JSON, of the children or attributes
 * of an element, and of an element that is called by an attribute. What names another one is a name and no value.
 */
export function withPairNames<T extends Named>(fields: readonly T[]): readonly T[] {
  const listed = withItemNames(fields)
  const namers = new Map<string, string[]>()
  for (const field of fields)
    if (isNaming(field)) {
      const own = getOrMake(namers, parentOf(field.pointer), () => [])
      if (SAYS_LEAST.includes(lastOf(field.names))) own.unshift(field.value)
      else own.push(field.value)
    }
  if (namers.size === 0) return listed
  const named = new Set<string>()
  const more = listed.map((field) => {
    const { names, pointer } = field
    const parent = parentOf(pointer)
    const isValue = VALUING.has(lastOf(names))
    // An element may stand around the value: `<value><string>…`.
    const isInside = VALUING.has(names.at(-2)?.toLowerCase() ?? '')
    const at = [...(isValue ? [parent] : [pointer]), ...(isInside ? [parentOf(parent)] : [])].find((each) =>
      namers.has(each),
    )
    if (at === undefined) return field
    named.add(at)
    return { ...field, names: [...names, ...(namers.get(at) ?? [])] }
  })
  if (named.size === 0) return listed
  return more.map((field) => {
    const isNamer = isNaming(field) && named.has(parentOf(field.pointer))
    return isNamer ? { ...field, names: [...field.names, 'name'] } : field
  })
}

function isNaming({ names, value }: Named): boolean {
  const last = lastOf(names)
  return NAME_LIKE.test(value) && (NAMING.has(last) || (KINDS.has(last) && KIND_OF.test(value)))
}

/**
 * `["client_secret", "…"]`, and lists of names and values by turns: an item behind a name has that name. A word is none
 * of them, since lists of words are lists of names.
 */
function withItemNames<T extends Named>(fields: readonly T[]): readonly T[] {
  let more: T[] | undefined
  for (let i = 1; i < fields.length; i++) {
    const [before, field] = [fields[i - 1], fields[i]]
    if (!before || !field || !ODD_ITEM.test(field.pointer) || !NAME_LIKE.test(before.value)) continue
    if (!/[0-9@]/.test(field.value) || !isBefore(before.pointer, field.pointer)) continue
    more ??= [...fields]
    more[i] = { ...field, names: [...field.names, before.value] }
  }
  return more ?? fields
}

const ODD_ITEM = /\/[0-9]{0,6}[13579]$/

function isBefore(before: string, pointer: string): boolean {
  const parent = parentOf(pointer)
  return before === `${parent}/${Number(pointer.slice(parent.length + 1)) - 1}`
}

function lastOf(names: readonly string[]): string {
  return names.at(-1)?.toLowerCase() ?? ''
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))
}
