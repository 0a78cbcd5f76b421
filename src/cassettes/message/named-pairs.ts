import { getOrMake } from '../../map-entries.ts'

/** `{"name": "password", "value": "…"}`: what a value is called stands beside it. */
const NAMING = new Set([
  'name',
  'key',
  'id',
  'field',
  'label',
  'libelle',
  'param',
  'parameter',
  'property',
  'attribute',
])
/** What says only in some objects what a value is: of `{"type": "phone", "value": …}`, and not of `{"type": "string"}`. */
const KINDS = new Set(['type', 'kind', 'system', 'k', 'header'])
const KIND_OF = /pass|secret|token|api.?key|pin|otp|cvv|phone|mobile|msisdn|mail/i
/** Of several names of one value, the last is its innermost one; an id and a label say least. */
const SAYS_LEAST = ['id', 'label', ...KINDS]
const VALUING = new Set([
  'value',
  'val',
  'v',
  'values',
  'valeur',
  'content',
  'text',
  'data',
  'string',
  'answer',
])
/** What a person would call a field; a key and an identifier look otherwise. */
const NAME_LIKE = /^[A-Za-z][A-Za-z\xc0-\u024f .:_[\]-]{0,39}[0-9]?$/

type Named = { readonly names: readonly string[]; readonly pointer: string; readonly value: string }

/**
 * The fields, with what stands beside a value as its innermost name: of an object of JSON, of the children or attributes
 * of an element, and of an element that is called by an attribute. What names another one is a name and no value.
 */
export function withPairNames<T extends Named>(fields: readonly T[]): readonly T[] {
  const listed = withKeyParts(withColumnNames(withItemNames(fields)))
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
  return (NAMING.has(last) || (KINDS.has(last) && KIND_OF.test(value))) && NAME_LIKE.test(value)
}

/**
 * `["client_secret", "…"]`, and lists of names and values by turns: an item behind a name has that name. A word is none
 * of them, since lists of words are lists of names.
 */
function withItemNames<T extends Named>(fields: readonly T[]): readonly T[] {
  let more: T[] | undefined
  for (let i = 1; i < fields.length; i++) {
    const [before, field] = [fields[i - 1], fields[i]]
    if (!before || !field || !isDigit(field.pointer.charCodeAt(field.pointer.length - 1))) continue
    if (!ODD_ITEM.test(field.pointer) || !NAME_LIKE.test(before.value)) continue
    if (!/[0-9@]/.test(field.value) || !isBefore(before.pointer, field.pointer)) continue
    more ??= [...fields]
    more[i] = { ...field, names: [...field.names, before.value] }
  }
  return more ?? fields
}

/** `{"columns": ["user", "password"], "rows": [["…", "…"]]}`, and rows of which the first one has the names. */
function withColumnNames<T extends Named>(fields: readonly T[]): readonly T[] {
  if (!fields.some(({ pointer }) => isDigit(pointer.charCodeAt(pointer.length - 1)) && CELL.test(pointer)))
    return fields
  const byPointer = new Map(fields.map(({ pointer, value }) => [pointer, value]))
  const known = new Map<string, string | undefined>()
  const headOf = (table: string, list: string, column: string): string | undefined => {
    const isRows = ROWS.has(list.slice(1).toLowerCase())
    const heads = isRows
      ? HEADS.flatMap((head) => [`${table}/${head}/${column}`, `${table}/${head}/${column}/name`])
      : []
    const values = [...heads, `${table}${list}/0/${column}`].map((head) => byPointer.get(head))
    return values.find((head) => head !== undefined && NAME_LIKE.test(head))
  }
  return fields.map((field) => {
    if (!isDigit(field.pointer.charCodeAt(field.pointer.length - 1))) return field
    const [, table = '', list = '', row = '', column = ''] = CELL.exec(field.pointer) ?? []
    if (column === '') return field
    // The cells of the first row can be the names of the others, and are none of their own.
    const key = `${table}\0${list}\0${column}`
    if (!known.has(key)) known.set(key, headOf(table, list, column))
    const name = known.get(key)
    const isOwn = name === undefined || (row === '0' && name === field.value)
    return isOwn ? field : { ...field, names: [...field.names, name] }
  })
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

const CELL = /^(.*?)((?:\/[^/]*)?)\/([0-9]{1,6})\/([0-9]{1,4})$/
const ROWS = new Set(['rows', 'data', 'values', 'records', 'tuples'])
const HEADS = ['columns', 'fields', 'headers', 'header', 'cols', 'names']

/** Of a key in JSON (RFC 7517), which has its kind beside it, these members are private. */
function withKeyParts<T extends Named>(fields: readonly T[]): readonly T[] {
  const keys = new Set(
    fields.filter(({ names }) => names.at(-1) === 'kty').map(({ pointer }) => parentOf(pointer)),
  )
  if (keys.size === 0) return fields
  return fields.map((field) =>
    PRIVATE_PARTS.has(field.names.at(-1) ?? '') && keys.has(parentOf(field.pointer))
      ? { ...field, names: [...field.names, 'privateKey'] }
      : field,
  )
}

const PRIVATE_PARTS = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'r', 't'])

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
