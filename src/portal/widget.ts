import type { FoundSession, StoredSession } from '../operations/widget-session.ts'
import { escapeHtml } from './escape.ts'
import type { Page, PageAnswer, PageDecision } from './page.ts'
import { html } from './public-documents.ts'

export type WidgetParts = {
  readonly find: (sessionId: string, now: number) => Promise<FoundSession>
  readonly decide: (
    session: StoredSession,
    fields: Readonly<Record<string, string>>,
    requestId: string,
    now: number,
  ) => Promise<PageDecision>
}

/** The KYC widget: the page behind the URL of a session. */
export function widgetPages({ find, decide }: WidgetParts): readonly Page[] {
  const path = '/kyc/widget/{sessionId}'
  return [
    {
      id: 'widget.show',
      method: 'GET',
      path,
      group: 'other',
      render: async ({ params, now }) => {
        const found = await find(params.sessionId ?? '', now)
        if (found.kind === 'gone') return gone(found)
        return found.decision ? decided(String(found.decision.outcome)) : form(found.session, '')
      },
    },
    {
      id: 'widget.submit',
      method: 'POST',
      path,
      group: 'other',
      render: async ({ params, body, requestId, now }) => {
        const found = await find(params.sessionId ?? '', now)
        if (found.kind === 'gone') return gone(found)
        const typed = new URLSearchParams(body.toString('utf8')).get('phone')?.trim() ?? ''
        const phone = typed === '' ? (found.session.phone ?? '') : typed
        const result = await decide(found.session, { phone }, requestId, now)
        if (result.kind === 'decided') return decided(String(result.decision.outcome))
        return form(found.session, result.refusal.detail)
      },
    },
  ]
}

function gone(found: FoundSession & { kind: 'gone' }): PageAnswer {
  const status = found.refusal.code === 'KYC_SESSION_EXPIRED' ? 410 : 404
  return page(status === 410 ? 'This session has expired' : 'There is no such session', '', status)
}

function decided(outcome: string): PageAnswer {
  return page(outcome === 'approved' ? 'You are verified' : 'We could not verify you', '')
}

function form(session: StoredSession, error: string): PageAnswer {
  return page(
    'Verify your identity',
    `<form method="post"><p>${escapeHtml(error)}</p><label>Phone <input name="phone" placeholder="${masked(session.phone)}"></label><button>Continue</button></form>`,
    error === '' ? 200 : 400,
  )
}

function masked(phone: string | undefined): string {
  return phone === undefined ? '' : `${phone.slice(0, 4)}…${phone.slice(-2)}`
}

function page(title: string, content: string, status = 200): PageAnswer {
  return html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><main><h1>${title}</h1>${content}</main></html>`,
    status,
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
  )
}
