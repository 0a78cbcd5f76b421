import { DEMO_PARTNER } from '../../src/config/demo.ts'
import { DEMO_KEY } from '../../src/config/sandbox-keys.ts'
import { buildOpenApi } from '../../src/operations/openapi.ts'

/*
 * The requests of a collection, read from the OpenAPI document: one for each operation, and one more for each further
 * outcome that it has an example for. What makes the document unusable as it stands is added here, for every tool alike:
 * an order in which ids are made before they are used, and where each comes from.
 */

/** What the environment of a collection has, with the values of the demo. The rest is set by the requests. */
export const ENVIRONMENT = {
  baseUrl: 'http://127.0.0.1:8080',
  clientId: DEMO_PARTNER.keys[0]?.id ?? '',
  clientSecret: DEMO_KEY,
  tenant: DEMO_PARTNER.tenant,
  /** With anything but `true` the request that deletes is skipped: a whole collection is run by one click. */
  allowReset: 'false',
} as const

export type Chained = {
  /** Of the variable and of the member. */
  readonly name: string
  /** The name of the request that sets it. */
  readonly from: string
}

export type CollectionRequest = {
  readonly id: string
  /** Tells it from the other examples of its operation; undefined for the first one. */
  readonly variant: string | undefined
  readonly name: string
  readonly description: string
  readonly folder: string
  readonly method: string
  /** As the document has it, `{accountId}` included. */
  readonly path: string
  readonly pathParameters: readonly string[]
  readonly query: readonly { name: string; value: string; description: string; sent: boolean }[]
  readonly headers: readonly { name: string; value: 'key' | 'tenant' }[]
  readonly form: Readonly<Record<string, string>> | undefined
  readonly json: Readonly<Record<string, unknown>> | undefined
  readonly status: number
  readonly answers: string
  /** What the answer's `outcome` must be. */
  readonly outcome: string | undefined
  readonly makesToken: boolean
  readonly deletes: boolean
  /** Ids in the answer that others use. */
  readonly makes: readonly string[]
  readonly uses: readonly Chained[]
}

export type Collection = {
  readonly name: string
  readonly description: string
  readonly folders: readonly { name: string; description: string }[]
  readonly requests: readonly CollectionRequest[]
}

// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes, read by its own pointers
type Part = any

export function collection(): Collection {
  const document: Part = buildOpenApi({ publicUrl: ENVIRONMENT.baseUrl })
  const resolved = (part: Part): Part =>
    part?.$ref === undefined
      ? part
      : String(part.$ref)
          .slice(2)
          .split('/')
          .reduce((before, step) => before[step], document)
  const operations = Object.entries<Part>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Part>(methods).map(([method, part]) => readOperation(path, method, part, resolved)),
  )
  const makers = makersOf(operations)
  const folders: { name: string; description: string }[] = document.tags
  const requests = folders.flatMap(({ name }) =>
    operations
      .filter(({ part }) => part.tags[0] === name)
      // Within a folder, what needs no id comes first: it may be the one that makes it.
      .sort((a, b) => idsOf(a, makers).length - idsOf(b, makers).length)
      .flatMap((operation) => requestsOf(operation, makers)),
  )
  const { title, description } = document.info
  return { name: title, description, folders, requests }
}

type ReadOperation = {
  readonly path: string
  readonly method: string
  readonly part: Part
  readonly parameters: readonly Part[]
  /** The members that a JSON body may have. */
  readonly members: readonly string[]
  readonly examples: readonly (readonly [string, Part])[]
  readonly isForm: boolean
  readonly status: string
  readonly answer: Readonly<Record<string, unknown>>
  readonly outcomes: readonly string[]
}

function readOperation(
  path: string,
  method: string,
  part: Part,
  resolved: (part: Part) => Part,
): ReadOperation {
  const content = part.requestBody?.content ?? {}
  const form = content['application/x-www-form-urlencoded']
  const media = form ?? content['application/json']
  const [status = '', response] =
    Object.entries<Part>(part.responses).find(([each]) => each.startsWith('2')) ?? []
  const answers: Part = response.content?.['application/json']?.examples ?? {}
  const [answer] = Object.values<Part>(answers)
  return {
    path,
    method: method.toUpperCase(),
    part,
    parameters: part.parameters.map(resolved),
    members: form ? [] : Object.keys(resolved(media?.schema)?.properties ?? {}),
    examples: Object.entries(media?.examples ?? {}),
    isForm: form !== undefined,
    status,
    answer: answer?.value ?? {},
    outcomes: Object.values<Part>(answers).flatMap(({ value }) => value.outcome ?? []),
  }
}

const asked = ({ path, members }: ReadOperation) => [
  ...members,
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
]

/** Ids that an operation answers without being told them, and that another one asks for: by their name, its summary. */
function makersOf(operations: readonly ReadOperation[]): ReadonlyMap<string, string> {
  const wanted = new Set(operations.flatMap(asked).filter((name) => name.endsWith('Id')))
  return new Map(
    operations.flatMap((operation) =>
      Object.keys(operation.answer)
        .filter((name) => wanted.has(name) && !asked(operation).includes(name))
        .map((name) => [name, String(operation.part.summary)] as const),
    ),
  )
}

const idsOf = (operation: ReadOperation, makers: ReadonlyMap<string, string>) =>
  asked(operation).filter((name) => makers.has(name))

function requestsOf(
  operation: ReadOperation,
  makers: ReadonlyMap<string, string>,
): readonly CollectionRequest[] {
  const { path, method, part, parameters, examples, isForm, status, answer, members } = operation
  const named = (place: string) => parameters.filter((each) => each.in === place)
  const headers = named('header').flatMap(({ name }): { name: string; value: 'key' | 'tenant' }[] => {
    if (name === 'Idempotency-Key') return [{ name, value: 'key' }]
    return name === 'X-Tenant-Id' ? [{ name, value: 'tenant' }] : []
  })
  const cases = examples.length > 0 ? examples : [[undefined, undefined] as const]
  return cases.map(([key, example], index) => {
    const first = index === 0
    const value = example?.value
    // Only the first example names what was made before: a session, for instance, has one decision.
    const bodyIds = first ? members.filter((name) => makers.has(name)) : []
    const ids = [...bodyIds, ...named('path').map(({ name }) => String(name))]
    const decides = operation.outcomes.includes(String(key ?? operation.outcomes[0]))
    return {
      id: part.operationId,
      variant: first ? undefined : key,
      name: first ? part.summary : `${part.summary}: ${key}`,
      description: part.description,
      folder: part.tags[0],
      method,
      path,
      pathParameters: named('path').map(({ name }) => name),
      query: named('query').map((each) => ({
        name: each.name,
        value: String(each.example ?? ''),
        description: each.description ?? '',
        sent: each.example !== undefined,
      })),
      headers,
      form: isForm ? { ...value, client_id: '{{clientId}}', client_secret: '{{clientSecret}}' } : undefined,
      json:
        isForm || value === undefined
          ? undefined
          : { ...value, ...Object.fromEntries(bodyIds.map((name) => [name, `{{${name}}}`])) },
      status: Number(status),
      answers: String(part.responses[status].description),
      outcome: decides ? String(key ?? operation.outcomes[0]) : undefined,
      makesToken: 'access_token' in answer,
      deletes: method === 'DELETE',
      makes: first ? Object.keys(answer).filter((name) => makers.get(name) === part.summary) : [],
      uses: ids.map((name) => ({ name, from: makers.get(name) ?? '' })),
    }
  })
}
