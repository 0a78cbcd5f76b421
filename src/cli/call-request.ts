import { randomUUID } from 'node:crypto'
import type { CapturedRequest } from '../cassettes/interaction.ts'
import { type HeaderLine, headerOf } from '../http/header-lines.ts'
import type { Operation } from '../operations/operation.ts'
import {
  FieldMistake,
  type FieldSchema,
  fieldNames,
  hintFor,
  jsonValue,
  setField,
  splitField,
  toJson,
  type Value,
} from './call-fields.ts'

/** Where the values of an operation go. */
export type Places = {
  readonly path: Readonly<Record<string, FieldSchema>>
  readonly query: Readonly<Record<string, FieldSchema>>
  /** Absent where the operation has no body. */
  readonly body: FieldSchema | undefined
}

export function placesOf({ params = {}, query, body }: Operation): Places {
  return { path: params, query: (query as FieldSchema | undefined)?.properties ?? {}, body }
}

/** Everything that can be given by name. */
export function parametersOf(operation: Operation): string[] {
  const { path, query, body } = placesOf(operation)
  return [...Object.keys(path), ...Object.keys(query), ...(body ? fieldNames(body) : [])]
}

export type Given = {
  readonly fields: readonly string[]
  /** What `@FILE` named, as it was read. */
  readonly file: Buffer | undefined
  readonly headers: readonly HeaderLine[]
  readonly key: string | undefined
}

/** The request of a call, without its token. @throws FieldMistake */
export function callRequest(operation: Operation, { fields, file, headers, key }: Given): CapturedRequest {
  const places = placesOf(operation)
  if (file !== undefined && places.body === undefined)
    throw new FieldMistake(`${operation.id} has no body; leave the file out`)
  const path = new Map<string, string>()
  const query: [string, string][] = []
  const inBody: { name: string; value: string }[] = []
  for (const each of fields) {
    const { name, value } = splitField(each)
    if (Object.hasOwn(places.path, name)) path.set(name, onlyValue(path.get(name), name, value))
    else if (Object.hasOwn(places.query, name)) query.push([name, value])
    else if (places.body) inBody.push({ name, value })
    else
      throw new FieldMistake(
        `there is no parameter ${name.slice(0, 64)}${hintFor(name, parametersOf(operation))}`,
      )
  }
  const body = bodyOf(places.body, inBody, file)
  const own: HeaderLine[] = [
    ['Accept', 'application/json, application/problem+json'],
    ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
    ...(operation.method === 'POST' ? [['Idempotency-Key', key ?? randomUUID()] as const] : []),
  ]
  return {
    method: operation.method,
    target: targetOf(operation.path, path, query),
    httpVersion: '1.1',
    // What is given takes the place of what would be sent.
    headers: [...own.filter(([name]) => headerOf(headers, name.toLowerCase()) === undefined), ...headers],
    body: body ?? Buffer.alloc(0),
  }
}

function onlyValue(before: string | undefined, name: string, value: string): string {
  if (before !== undefined) throw new FieldMistake(`${name} is given twice`)
  return value
}

function targetOf(
  template: string,
  path: ReadonlyMap<string, string>,
  query: readonly [string, string][],
): string {
  const filled = template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = path.get(name)
    if (!value) throw new FieldMistake(`it needs ${name}=VALUE`)
    return encodeURIComponent(value.toWellFormed())
  })
  const text = new URLSearchParams([...query]).toString()
  return text === '' ? filled : `${filled}?${text}`
}

/** A file that nothing is added to is sent byte by byte. */
function bodyOf(
  schema: FieldSchema | undefined,
  fields: readonly { name: string; value: string }[],
  file: Buffer | undefined,
): Buffer | undefined {
  if (schema === undefined) return undefined
  if (fields.length === 0 && file !== undefined) return file
  const start: Value | undefined = file === undefined ? new Map() : jsonValue(file.toString('utf8'))
  if (!(start instanceof Map))
    throw new FieldMistake('fields can be added to a JSON object only, which the file is not')
  for (const { name, value } of fields) setField(start, schema, name, value)
  return Buffer.from(toJson(start))
}

/** Headers that say how the request is sent, which is not for a line to say. */
const OURS = [
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'keep-alive',
  'te',
  'expect',
]

/** `Name: value`. @throws FieldMistake, which does not repeat the value */
export function headerLine(text: string): HeaderLine {
  const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new FieldMistake("--header takes one line such as 'X-Sandbox-Outcome: failed'")
  if (OURS.includes(name.toLowerCase())) throw new FieldMistake(`--header cannot set ${name}`)
  return [name, value.trimEnd()]
}
