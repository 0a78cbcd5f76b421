/** `{"name": "password", "value": "…"}`: what a value is called stands beside it. */
const NAMING = new Set(['name', 'key', 'id', 'field', 'label', 'param', 'parameter', 'property', 'attribute'])
const VALUING = new Set(['value', 'val', 'values', 'content', 'text', 'data', 'string', 'answer'])
/** What a person would call a field; a key and an identifier look otherwise. */
const NAME_LIKE = /^[A-Za-z][A-Za-z .:_[\]-]{0,39}[0-9]?$/

type Named = { readonly names: readonly string[]; readonly pointer: string; readonly value: string }

/**
 * The fields, with what stands beside a value as its innermost name: of an object of JSON, of the children or attributes
 * of an element, and of an element that is called by an attribute. What names another one is a name and no value.
 */
export function withPairNames<T extends Named>(fields: readonly T[]): readonly T[] {
  const namers = new Map<string, string>()
  for (const { names, pointer, value } of fields)
    if (NAMING.has(lastOf(names)) && NAME_LIKE.test(value)) namers.set(parentOf(pointer), value)
  if (namers.size === 0) return fields
  const named = new Set<string>()
  const more = fields.map((field) => {
    const { names, pointer } = field
    const parent = parentOf(pointer)
    const isValue = VALUING.has(lastOf(names))
    const own = isValue ? namers.get(parent) : namers.get(pointer)
    if (own === undefined) return field
    named.add(isValue ? parent : pointer)
    return { ...field, names: [...names, own] }
  })
  if (named.size === 0) return fields
  return more.map((field) => {
    const { names, pointer, value } = field
    const isNamer = NAMING.has(lastOf(names)) && NAME_LIKE.test(value) && named.has(parentOf(pointer))
    return isNamer ? { ...field, names: [...names, 'name'] } : field
  })
}

function lastOf(names: readonly string[]): string {
  return names.at(-1)?.toLowerCase() ?? ''
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))
}
