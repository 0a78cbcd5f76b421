import type { RateLimitGroup } from '../config/contract.ts'
import type { Operation, OperationRow } from '../operations/operation.ts'
import type { Page } from '../portal/page.ts'
import { createRequestCheck, type RequestCheck } from './judge-request.ts'

/** Everything that has a route on the partner listener. */
export type Endpoint =
  | { readonly kind: 'operation'; readonly row: Operation; readonly check: RequestCheck }
  | { readonly kind: 'token'; readonly row: OperationRow }
  | { readonly kind: 'page'; readonly row: Page }

/** The endpoints of the partner listener, with their checks compiled. */
export function createEndpoints(
  operations: readonly Operation[],
  tokenRow: OperationRow,
  pages: readonly Page[],
): readonly Endpoint[] {
  return [
    { kind: 'token', row: tokenRow },
    ...operations.map((row) => ({ kind: 'operation', row, check: createRequestCheck(row) }) as const),
    ...pages.map((row) => ({ kind: 'page', row }) as const),
  ]
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
