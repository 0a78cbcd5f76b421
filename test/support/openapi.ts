import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Reply } from './http.ts'

export type Json = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes, read by its own pointers
export type Part = any

export type DocumentedOperation = { id: string; method: string; path: string; part: Part; pointer: string }

export const encoded = (step: string) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
const decoded = (step: string) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')

/** Reads an OpenAPI document as its users' tools do, and holds answers against it. */
export function readOpenApi(document: Part) {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  formats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()

  /** The check of a schema of the document, by its pointer. */
  function validator(pointer: string): ValidateFunction {
    const known = compiled.get(pointer)
    if (known) return known
    const made = ajv.compile({ $ref: `openapi#/${pointer}` })
    compiled.set(pointer, made)
    return made
  }

  /** What a reference leads to, with the pointer of where it stands. */
  function resolved(part: Part, pointer: string): [Part, string] {
    if (part?.$ref === undefined) return [part, pointer]
    const at = String(part.$ref).slice(2)
    const found = at.split('/').reduce((before: Part, step) => before[decoded(step)], document)
    return [found, at]
  }

  function operations(): DocumentedOperation[] {
    return Object.entries(document.paths as Json).flatMap(([path, methods]) =>
      Object.entries(methods as Json).map(([method, part]) => ({
        id: (part as Part).operationId,
        method: method.toUpperCase(),
        path,
        part,
        pointer: `paths/${encoded(path)}/${method}`,
      })),
    )
  }

  /** Everything that the document does not say about an answer; empty for one that it describes. */
  function undescribed({ id, part, pointer }: DocumentedOperation, reply: Reply): string[] {
    const found = part.responses[reply.status]
    if (!found) return [`${id}: the document knows no ${reply.status} (${reply.json?.code})`]
    const [response, at] = resolved(found, `${pointer}/responses/${reply.status}`)
    const wrong: string[] = []
    for (const [name, header] of Object.entries(response.headers as Json)) {
      const [described, place] = resolved(header, '')
      const value = reply.headers[name.toLowerCase()]
      if (value === undefined && described.required) wrong.push(`${name} is missing`)
      if (value === undefined) continue
      const typed = described.schema.type === 'integer' ? Number(value) : value
      if (!validator(`${place}/schema`)(typed)) wrong.push(`${name}: ${value}`)
    }
    for (const name of [
      'retry-after',
      'www-authenticate',
      'location',
      'x-sandbox-rule',
      'idempotency-replayed',
    ])
      if (
        reply.headers[name] !== undefined &&
        !Object.keys(response.headers).some((each) => each.toLowerCase() === name)
      )
        wrong.push(`${name} is not described`)
    const [type = '', media] = Object.entries((response.content ?? {}) as Json)[0] ?? []
    if (reply.bytes.length > 0 || media) {
      if (reply.headers['content-type'] !== type)
        wrong.push(`it is ${reply.headers['content-type']}, not ${type}`)
      const check = validator(`${at}/content/${encoded(type)}/schema`)
      if (!check(reply.json)) wrong.push(errorsText(check.errors))
    }
    return wrong.map((each) => `${id} ${reply.status} ${reply.json?.code ?? ''}: ${each}`)
  }

  const errorsText = (errors: ErrorObject[] | null | undefined) => ajv.errorsText(errors)

  /** Every code that the document lists for an operation. */
  function codesOf({ part }: DocumentedOperation): string[] {
    return Object.values(part.responses as Json).flatMap((each) => {
      const [response] = resolved(each, '')
      const [media] = Object.values((response.content ?? {}) as Json) as Part[]
      return Object.values((media?.examples ?? {}) as Json).flatMap((example) => {
        const { value } = resolved(example, '')[0]
        return value.requestId === undefined ? [] : [String(value.code)]
      })
    })
  }

  return { validator, resolved, operations, undescribed, codesOf }
}

export type OpenApi = ReturnType<typeof readOpenApi>
