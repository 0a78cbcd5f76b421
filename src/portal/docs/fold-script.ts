import { CATALOGUE, type ErrorCode } from '../../errors/catalogue.ts'
import { codesOf } from '../../operations/openapi-codes.ts'
import { COMMON_HEADERS } from '../../operations/openapi-headers.ts'
import { ROWS } from '../../operations/operations.ts'

/** The codes that an operation has for itself, by its id; all others come from what stands before every operation. */
const OWN_CODES = Object.fromEntries(
  ROWS.map((row) => {
    const own: readonly ErrorCode[] = [...row.errors, 'PARTNER_LIMIT_EXCEEDED']
    return [row.id, codesOf(row).filter((code) => own.includes(code))]
  }),
)

const TITLES = Object.fromEntries(Object.entries(CATALOGUE).map(([code, { title }]) => [code, title]))

/**
 * In the reader's browser: the document as it is shown. What stands before every operation is one response with an
 * example for each code, in place of some fifteen; headers that every response has are said once, above.
 */
export const FOLD_SCRIPT = `
  const OWN_CODES = ${JSON.stringify(OWN_CODES)}
  const TITLES = ${JSON.stringify(TITLES)}
  const COMMON_HEADERS = ${JSON.stringify(COMMON_HEADERS)}

  function fold(spec) {
    for (const path of Object.values(spec.paths))
      for (const operation of Object.values(path)) operation.responses = folded(spec, operation)
    // RapiDoc shows both the same, but resolves a document of 3.1 by way of a model of it, three times as long.
    spec.openapi = '3.0.3'
    spec.servers = [{ url: base }]
    delete spec.components.parameters.IdempotencyKey.example
    delete spec.components.parameters.IdempotencyKey.schema.pattern
    withoutNoise(spec)
    // The library follows references itself, but takes longer for that than for everything else.
    spec.paths = inlined(spec, spec.paths, new Map())
    spec.components = { securitySchemes: spec.components.securitySchemes }
    return spec
  }

  // What is referred to, in place of the references to it. No schema of ours leads back to itself.
  function inlined(spec, value, known) {
    if (value === null || typeof value !== 'object') return value
    if (typeof value.$ref === 'string') {
      if (!known.has(value.$ref)) {
        known.set(value.$ref, value)
        known.set(value.$ref, inlined(spec, deref(spec, value), known))
      }
      return known.get(value.$ref)
    }
    for (const [name, each] of Object.entries(value)) value[name] = inlined(spec, each, known)
    return value
  }

  // That no text holds U+0000, and the list of all countries, are for programs.
  function withoutNoise(value) {
    if (value === null || typeof value !== 'object') return
    if (value.pattern?.length > 80 || value.pattern === '^[^\\\\u0000]*$') delete value.pattern
    for (const each of Object.values(value)) withoutNoise(each)
  }

  function folded(spec, operation) {
    const own = OWN_CODES[operation.operationId] || []
    const shown = {}
    const others = {}
    for (const [status, reference] of Object.entries(operation.responses)) {
      const response = deref(spec, reference)
      for (const name of COMMON_HEADERS) delete response.headers?.[name]
      if (Number(status) < 400) {
        shown[status] = response
        continue
      }
      for (const [type, { schema, examples }] of Object.entries(response.content || {})) {
        for (const [code, example] of Object.entries(examples)) {
          if (own.includes(code)) keep(shown, status, type, code, example)
          else others[code] = { status, type, example: deref(spec, example) }
        }
      }
    }
    return { ...shown, [WORDS.others]: together(others) }
  }

  function deref(spec, value) {
    if (value.$ref === undefined) return value
    return value.$ref.slice(2).split('/').reduce((found, name) => found[name], spec)
  }

  function keep(shown, status, type, code, example) {
    shown[status] ||= { description: '', content: { [type]: { examples: {} } } }
    shown[status].content[type].examples[code] = example
    shown[status].description += '\\n- ' + nameOf(code)
  }

  function together(others) {
    const list = Object.entries(others).sort(([, a], [, b]) => a.status - b.status)
    const lines = list.map(([code, { status }]) => '- ' + status + ' ' + nameOf(code))
    const content = {}
    for (const [code, { status, type, example }] of list) {
      content[type] ||= { examples: {} }
      content[type].examples[code] = { ...example, summary: status + ' ' + code }
    }
    return { description: WORDS.othersExplain + '\\n\\n' + lines.join('\\n'), content }
  }

  function nameOf(code) {
    return '[\`' + code + '\`](' + base + '/docs/errors/' + code + ') ' + TITLES[code]
  }
`
