import { FORMATS } from './formats.ts'
import { isMapping, type Path } from './paths.ts'
import { didYouMean } from './suggest.ts'
import { expected, type Schema, unlike } from './wording.ts'

/** Told of each mistake; `at` says whether the key or its value is wrong. */
export type Report = (path: Path, message: string, at: 'key' | 'value') => void

/**
 * Checks a value, reports every mistake, and returns the value with the defaults of the schema filled in at every
 * level. Nothing is coerced. It is not TypeBox's own check because that collects at most eight errors, unless a
 * setting global to the process is changed, and fills no defaults; test/config/check.test.ts holds the two together.
 */
export function checked(schema: Schema, value: unknown, path: Path, report: Report): unknown {
  if (value === undefined) return checkedDefault(schema)
  if (schema.anyOf !== undefined) {
    const branch = schema.anyOf.find((candidate) => isType(candidate.type, value))
    if (branch !== undefined) return checked(branch, value, path, report)
    report(path, `${expected(schema)}${unlike(schema, value)}`, 'value')
    return value
  }
  // A section whose settings are all commented out is null in YAML, and means its defaults.
  if (value === null && schema.default !== undefined && isMapping(schema.default)) {
    return checkedDefault(schema)
  }
  if (!isType(schema.type, value)) {
    report(path, `${expected(schema)}${unlike(schema, value)}`, 'value')
    return value
  }
  if (Array.isArray(value)) return checkedList(schema, value, path, report)
  if (isMapping(value)) return checkedMapping(schema, value, path, report)
  checkScalar(schema, value, path, report)
  return value
}

function checkedDefault(schema: Schema): unknown {
  // A section's default is {}; its settings have defaults of their own.
  if (schema.default === undefined) return undefined
  return schema.properties ? checkedMapping(schema, {}, [], () => {}) : structuredClone(schema.default)
}

function checkedList(schema: Schema, value: readonly unknown[], path: Path, report: Report): unknown[] {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    report(path, 'must not be empty', 'value')
  return value.map((item, i) => checked(schema.items ?? {}, item, [...path, i], report))
}

function checkedMapping(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  path: Path,
  report: Report,
): Record<string, unknown> {
  const entries: [string, unknown][] = []
  const properties = schema.properties ?? {}
  for (const [key, child] of Object.entries(properties)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    const result = checked(child, given, [...path, key], report)
    if (result !== undefined) entries.push([key, result])
    else if (schema.required?.includes(key)) report([...path, key], 'is missing', 'value')
  }
  const [[pattern, child] = [undefined, {}]] = Object.entries(schema.patternProperties ?? {})
  for (const [key, item] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) continue
    if (pattern !== undefined && new RegExp(pattern, 'u').test(key)) {
      entries.push([key, checked(child, item, [...path, key], report)])
    } else
      report(
        [...path, key],
        pattern === undefined ? unknownKey(schema, key) : `must be ${schema.shape}`,
        'key',
      )
  }
  if (schema.minProperties !== undefined && Object.keys(value).length < schema.minProperties) {
    report(path, `must have at least one of ${Object.keys(properties).join(', ')}`, 'value')
  }
  // fromEntries defines properties, so a key named __proto__ is only a key.
  return Object.fromEntries(entries)
}

function unknownKey(schema: Schema, key: string): string {
  if (key === '<<') return 'merge keys are not supported; write the settings out'
  const reason = schema.explainKeys?.[key]
  if (reason !== undefined) return reason
  const allowed = Object.keys(schema.properties ?? {})
  return `is not a setting${didYouMean(key, allowed) || ';'} allowed here: ${allowed.join(', ')}`
}

function checkScalar(schema: Schema, value: unknown, path: Path, report: Report): void {
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema
    if (value < minimum || value > maximum) report(path, `${expected(schema)}, not ${value}`, 'value')
  }
  if (typeof value !== 'string') return
  const problem = textProblem(schema, value)
  if (problem !== undefined) report(path, problem, 'value')
}

function textProblem(schema: Schema, text: string): string | undefined {
  if (schema.enum !== undefined && !schema.enum.includes(text)) {
    return `${expected(schema)}${unlike(schema, text)}${didYouMean(text, schema.enum)}`
  }
  // Lengths are code points, as in JSON Schema.
  const length = [...text].length
  if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? Infinity)) {
    return length === 0 ? 'must not be empty' : `must have ${lengths(schema)} characters, not ${length}`
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(text)) {
    return `must be ${schema.shape ?? `like ${schema.pattern}`}${unlike(schema, text)}`
  }
  const problem = FORMATS[schema.format ?? '']?.(text)
  if (problem === undefined) return undefined
  // A URL with an @ carries a password.
  return `${problem}${unlike(text.includes('@') ? { ...schema, secret: true } : schema, text)}`
}

function lengths({ minLength = 0, maxLength }: Schema): string {
  return maxLength === undefined ? `at least ${minLength}` : `${minLength} to ${maxLength}`
}

function isType(type: string | undefined, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isMapping(value)
  if (type === 'null') return value === null
  // The types that are left have the same name in JavaScript.
  return type === undefined || typeof value === type
}
