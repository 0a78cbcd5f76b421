import type { RateLimitGroup } from '../config/contract.ts'
import { type HeaderValue, prefersHtml } from '../http/accept.ts'
import type { Operation, OperationRow } from '../operations/operation.ts'
import type { Page } from '../portal/page.ts'
import { createRequestCheck, type RequestCheck } from './judge-request.ts'

/** Everything that has a route on the partner listener. */
export type Endpoint =
  | {
      readonly kind: 'operation'
      readonly row: Operation
      readonly check: RequestCheck
      /** What a browser gets in its place. */
      readonly page?: PageEndpoint
    }
  | { readonly kind: 'token'; readonly row: OperationRow }
  | PageEndpoint

export type PageEndpoint = { readonly kind: 'page'; readonly row: Page }

/** The endpoints of the partner listener, with their checks compiled. */
export function createEndpoints(
  operations: readonly Operation[],
  tokenRow: OperationRow,
  pages: readonly Page[],
): readonly Endpoint[] {
  const all: readonly PageEndpoint[] = pages.map((row) => ({ kind: 'page', row }))
  const pageOf = (row: Operation) => all.find((page) => isSameRoute(page.row, row))
  return [
    { kind: 'token', row: tokenRow },
    ...operations.map((row) => {
      const page = pageOf(row)
      return { kind: 'operation', row, check: createRequestCheck(row), ...(page && { page }) } as const
    }),
    ...all.filter(({ row }) => !operations.some((operation) => isSameRoute(operation, row))),
  ]
}

function isSameRoute(one: Page | Operation, other: Page | Operation): boolean {
  return one.method === other.method && one.path === other.path
}

/** The endpoint, or its page where the sender is a browser in front of a person. */
export function negotiated(endpoint: Endpoint | undefined, accept: HeaderValue): Endpoint | undefined {
  const page = endpoint?.kind === 'operation' ? endpoint.page : undefined
  return page && prefersHtml(accept) ? page : endpoint
}

/** Whether the portal's cookie says who asks. */
export function takesSession(endpoint: Endpoint | undefined): boolean {
  if (endpoint?.kind === 'page') return endpoint.row.takesSession === true
  return endpoint?.kind === 'operation' && endpoint.page?.row.takesSession === true
}

/** Whether it is a page about the gateway itself. */
export function isDocument({ kind, row }: Endpoint): boolean {
  return kind === 'page' && row.isDocument
}

/** Fastify's spelling of a path template: `/v1/accounts/{accountId}` is `/v1/accounts/:accountId`. */
export function routePath(template: string): string {
  return template.replaceAll(/\{([A-Za-z]+)\}/g, ':$1')
}

/**
 * Which methods a path takes, for 405 and its Allow header; undefined when no endpoint has the path. A path that
 * takes the method and has not been routed all the same has a segment that is longer than any identifier.
 */
export function createMethodsOf(
  endpoints: readonly Endpoint[],
): (path: string, method: string | undefined) => string | undefined {
  const exact = new Map<string, Set<string>>()
  const templates: { pattern: RegExp; methods: Set<string> }[] = []
  for (const { row } of endpoints) {
    const methods = exact.get(row.path) ?? new Set<string>()
    methods.add(row.method)
    if (row.method === 'GET') methods.add('HEAD')
    if (!exact.has(row.path) && row.path.includes('{')) {
      templates.push({ pattern: new RegExp(`^${row.path.replaceAll(/\{[A-Za-z]+\}/g, '[^/]+')}$`), methods })
    }
    exact.set(row.path, methods)
  }
  return (path, method = '') => {
    const methods = exact.get(path) ?? templates.find(({ pattern }) => pattern.test(path))?.methods
    return methods === undefined || methods.has(method) ? undefined : [...methods].sort().join(', ')
  }
}

export function groupOf(endpoint: Endpoint | undefined): RateLimitGroup {
  return endpoint?.row.group ?? 'other'
}
