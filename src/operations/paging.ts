import Type, { type TSchema } from 'typebox'
import { type Refusal, refuse } from '../errors/refusal.ts'
import type { RecordKind } from '../store/store.ts'
import * as field from './fields.ts'
import { type Call, type Decided, done, type Fields, type Simulation } from './operation.ts'

const PAGE = 20

export const PageQuery = field.closed({
  limit: field.optional(field.PageLimit),
  cursor: field.optional(field.Cursor),
})

export const pageOf = (item: TSchema) =>
  field.closed({
    items: Type.Array(item, { description: 'Newest first.' }),
    nextCursor: Type.Union([Type.String(), Type.Null()], {
      description: 'Send it as cursor to get the next page; null on the last one.',
    }),
  })

/** A bad cursor is a refusal of the request alone, so it is judged before anything is looked up. */
export function judgeCursor(prefix: string): (request: { query: Fields }) => Refusal | undefined {
  return ({ query }) =>
    query.cursor === undefined || readCursor(String(query.cursor), prefix) !== undefined
      ? undefined
      : refuse('VALIDATION_FAILED', 'The cursor is not one that this list has given out.', {
          errors: [{ parameter: 'cursor', detail: 'must be the nextCursor of an earlier page, unchanged' }],
        })
}

/** One page of a tenant's records of a kind, newest first. */
export async function page(
  call: Call,
  { records }: Simulation,
  kind: RecordKind,
  prefix: string,
): Promise<Decided> {
  const limit = typeof call.query.limit === 'number' ? call.query.limit : PAGE
  const before = call.query.cursor === undefined ? undefined : readCursor(String(call.query.cursor), prefix)
  const found = await records.page(kind, call.tenant, { limit, ...(before && { before }) }, call.now)
  return done(200, { items: found.items, nextCursor: found.next === null ? null : writeCursor(found.next) })
}

function writeCursor(id: string): string {
  return Buffer.from(id).toString('base64url')
}

function readCursor(cursor: string, prefix: string): string | undefined {
  const id = Buffer.from(cursor, 'base64url').toString('latin1')
  const known = id.startsWith(`${prefix}_`) && /^[A-Za-z0-9_-]{1,128}$/.test(id)
  return known && writeCursor(id) === cursor ? id : undefined
}
