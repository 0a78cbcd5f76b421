import type { Page } from '../portal/page.ts'
import type { Outcome } from './answerer.ts'
import type { Edge } from './context.ts'
import { countFailure } from './count-failure.ts'
import type { Exchange } from './exchange.ts'
import { visitorOf } from './reply.ts'
import { usageWindows } from './usage-windows.ts'

export async function renderPage(edge: Edge, exchange: Exchange, row: Page, now: number): Promise<Outcome> {
  const page = await row.render({
    ...visitorOf(exchange),
    body: exchange.body,
    now,
    windows: () => usageWindows(exchange),
    countFailure: (name) => countFailure(edge, exchange, name),
  })
  return page.kind === 'page' ? page : page.refusal
}
