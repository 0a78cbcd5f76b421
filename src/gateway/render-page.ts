import type { Page } from '../portal/page.ts'
import type { Outcome } from './answerer.ts'
import type { Exchange } from './exchange.ts'
import { visitorOf } from './reply.ts'

export async function renderPage(exchange: Exchange, row: Page, now: number): Promise<Outcome> {
  const page = await row.render({ ...visitorOf(exchange), body: exchange.body, now })
  return page.kind === 'page' ? page : page.refusal
}
