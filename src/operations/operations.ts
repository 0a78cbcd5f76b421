import { takeLane } from '../http/lane.ts'
import { splitTarget } from '../http/target.ts'
import { accountsList } from './accounts-list.ts'
import { accountsOpen } from './accounts-open.ts'
import { accountsRead } from './accounts-read.ts'
import { authToken } from './auth-token.ts'
import { creditApply } from './credit-apply.ts'
import { creditSimulate } from './credit-simulate.ts'
import { kybSubmit } from './kyb-submit.ts'
import { kycSubmit } from './kyc-submit.ts'
import type { Operation, OperationRow } from './operation.ts'
import { paymentsCashout, paymentsFund } from './payments.ts'
import { portalUsage } from './portal-usage.ts'
import { sandboxReset } from './sandbox-reset.ts'
import { scoreRead } from './score-read.ts'
import { webhooksIpRanges, webhooksList, webhooksRead, webhooksRegister } from './webhooks.ts'
import { WIDGET_PAGES } from './widget-page.ts'
import { widgetRead } from './widget-read.ts'
import { widgetSession } from './widget-session.ts'

/** Every operation that a token opens, in the order of the documentation. */
export const OPERATIONS: readonly Operation[] = [
  accountsOpen,
  accountsList,
  accountsRead,
  kycSubmit,
  widgetSession,
  widgetRead,
  kybSubmit,
  paymentsFund,
  paymentsCashout,
  creditSimulate,
  creditApply,
  scoreRead,
  webhooksRegister,
  webhooksList,
  webhooksIpRanges,
  webhooksRead,
  portalUsage,
  sandboxReset,
]

/** Every row of the interface, the token exchange included. */
export const ROWS: readonly OperationRow[] = [authToken, ...OPERATIONS]

const byId = new Map(ROWS.map((row) => [row.id, row]))

/** The row of an operation that was told by its id, such as that of a recorded interaction. */
export function rowOf(id: string | undefined): OperationRow | undefined {
  return id === undefined ? undefined : byId.get(id)
}

/** Whether an operation answers with a token. */
export function grantsToken(id: string | undefined): boolean {
  return rowOf(id)?.grants === 'token'
}

const ROUTES = [...ROWS, ...WIDGET_PAGES]
  .map(({ id, method, path }) => ({
    id,
    method,
    path: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    fixed: !path.includes('{'),
  }))
  .sort((a, b) => Number(b.fixed) - Number(a.fixed))

/** The operation, or the page of the widget, of a method and target; a path with fixed segments only goes before one with parameters. */
export function operationOf(method: string, target: string): string | undefined {
  const { path } = splitTarget(takeLane(target).target)
  const asked = method === 'HEAD' ? 'GET' : method
  return ROUTES.find((route) => route.method === asked && route.path.test(path))?.id
}
