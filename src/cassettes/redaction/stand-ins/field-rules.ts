import { remembered } from '../../../map-entries.ts'
import { personalMeaning, personalPart } from '../people/names.ts'
import { isInnerName, type SecretMeaning, secretMeaning } from '../secrets/names.ts'

/**
 * Which fields hold what, as plain data: it is made from the contract once and handed to the thread of the recorder,
 * which then need not load the contract. Fields are known by their names, wherever they stand: an error that repeats a
 * field, a body of an operation that the interface does not know and a dossier nested in metadata are covered alike.
 */
export type FieldTable = {
  /** By folded name, or `parent/name`. */
  readonly rules: Readonly<Record<string, FieldRule>>
  /** By type. */
  readonly shapes: Readonly<Record<string, FieldShape>>
  /** The names of the interface's fields: what they hold is said by the rules alone. */
  readonly names: readonly string[]
  /** The words of the interface: these names, scopes, codes, paths. None of them is a secret. */
  readonly words: readonly string[]
}

export type FieldRule = {
  readonly kind: 'personal' | 'secret' | 'client-id'
  readonly type: string
  /** By the meaning of its name alone: the value has to be one that the name can mean. */
  readonly isMeant?: true
}

/** What a stand-in has to satisfy to be a value of its field. */
export type FieldShape = {
  readonly pattern?: string
  readonly minLength: number
  readonly maxLength: number
  readonly date: boolean
  /** `phone`, `email`, or what its stand-ins begin with; by default the type. */
  readonly standIn?: string
}

export type FieldLookup = {
  /**
   * The rule of the innermost named field; `names` are the property names from the outermost to the innermost. What the
   * contract does not say, the meaning of the name does: a number is no token.
   */
  readonly rule: (names: readonly string[], isNumber?: boolean) => FieldRule | undefined
  readonly shape: (type: string) => FieldShape | undefined
}

export function createFieldLookup(table: FieldTable): FieldLookup {
  const rules = new Map(Object.entries(table.rules))
  const shapes = new Map(Object.entries(table.shapes))
  const words = new Set(table.names.map(folded))
  const meaningOf = (name: string): SecretMeaning | undefined =>
    words.has(folded(name)) ? undefined : secretMeaning(name)
  const personOf = (name: string, parent: string | undefined): string | undefined =>
    words.has(folded(name))
      ? undefined
      : (personalMeaning(name) ?? (parent === undefined ? undefined : personalPart(parent, name)))
  /** What stands inside an object that is called a secret is one, unless its own name says otherwise. */
  const isInner = (names: readonly string[], at: number, textOnly: boolean): boolean => {
    for (let i = at + 1; i < names.length; i++) {
      const name = names[i] ?? ''
      if (words.has(folded(name)) || !isInnerName(name, textOnly)) return false
    }
    return true
  }
  const ruleOf: FieldLookup['rule'] = (names, isNumber = false) => {
    for (let i = names.length - 1; i >= 0; i--) {
      const raw = names[i] ?? ''
      const name = folded(raw)
      const rule = rules.get(name) ?? (i > 0 ? rules.get(`${folded(names[i - 1] ?? '')}/${name}`) : undefined)
      if (rule !== undefined) return rule
      const meaning = meaningOf(raw)
      if (meaning !== undefined && !(isNumber && meaning.textOnly) && isInner(names, i, meaning.textOnly))
        return { kind: 'secret', type: meaning.type }
      const person = meaning === undefined ? personOf(raw, names[i - 1]) : undefined
      if (person !== undefined && isInner(names, i, false))
        return { kind: 'personal', type: person, isMeant: true }
    }
    return undefined
  }
  /** Of names that stand alone, which come again and again. */
  const ruleOfText = remembered((name) => ruleOf([name], false))
  const ruleOfNumber = remembered((name) => ruleOf([name], true))
  return {
    rule: (names, isNumber = false) => {
      const [name] = names
      if (names.length !== 1 || name === undefined) return ruleOf(names, isNumber)
      return isNumber ? ruleOfNumber(name) : ruleOfText(name)
    },
    shape: (type) => shapes.get(type),
  }
}

const patterns = new Map<string, RegExp>()

export function satisfies(shape: FieldShape, value: string): boolean {
  const length = [...value].length
  if (length < shape.minLength || length > shape.maxLength) return false
  if (shape.pattern !== undefined && !compiled(shape.pattern).test(value)) return false
  if (!shape.date) return true
  const time = Date.parse(`${value}T00:00:00.000Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value)
}

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, known)
  return known
}

/** `firstName`, `first_name` and `First-Name` are one field to whoever reads them. */
export const folded = remembered((name: string) => name.toLowerCase().replace(/[_-]/g, ''))
