import { closest } from '../config/suggest.ts'

/** The events that production sends; `*` stands for all of them. */
export const WEBHOOK_EVENTS = [
  'account.opened',
  'kyc.decided',
  'kyb.decided',
  'payment.decided',
  'credit.decided',
] as const

export type EventWarning = { readonly pointer: string; readonly detail: string }

/** One for each name that production sends no event of. Any name of the right form is stored all the same. */
export function eventWarnings(events: readonly string[]): readonly EventWarning[] {
  return events.flatMap((name, index) => {
    if (name === '*' || WEBHOOK_EVENTS.some((known) => known === name)) return []
    const meant = closest(name, WEBHOOK_EVENTS)
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
    const detail = `Stored, but production sends no such event.${hint} It sends ${WEBHOOK_EVENTS.join(', ')}.`
    return [{ pointer: `#/events/${index}`, detail }]
  })
}
