import type { Language } from '../../http/language.ts'
import { portalUsage } from '../../operations/portal-usage.ts'
import type { HistoryResolution } from '../../store/store.ts'
import { askedLanguage, languageOf } from '../language.ts'
import type { Visitor } from '../page.ts'

export const USAGE_PATH = portalUsage.path
export const SIGN_IN_PATH = '/portal/sign-in'
export const SIGN_OUT_PATH = '/portal/sign-out'

const REQUEST_ID = /^req_[A-Za-z0-9_-]{1,60}$/

export type Resolution = HistoryResolution

/** What a page of the portal was asked for, and the addresses that lead on from it without losing that. */
export type Addresses = {
  readonly language: Language
  readonly resolution: Resolution
  /** The request id that is looked for, as it was typed. */
  readonly search: string
  readonly query: URLSearchParams
  /** A page of the portal, with what was asked for. */
  readonly view: (path: string, change?: Readonly<Record<string, string>>) => string
  readonly inLanguage: (language: Language, path: string) => string
  readonly signedOut: string
}

/** Only what is known is carried on, so an address never leads elsewhere. */
export function addressOf({ query: text, headers }: Pick<Visitor, 'query' | 'headers'>): Addresses {
  const query = new URLSearchParams(text)
  const asked = askedLanguage(text)
  const resolution: Resolution = query.get('history') === 'days' ? 'days' : 'hours'
  const search = (query.get('request') ?? '').trim().slice(0, 80)
  const kept: Record<string, string> = {
    ...(asked && { lang: asked }),
    ...(resolution === 'days' && { history: resolution }),
    ...(REQUEST_ID.test(search) && { request: search }),
  }
  const view: Addresses['view'] = (path, change = {}) => withQuery(path, { ...kept, ...change })
  return {
    language: languageOf(text, headers['accept-language']),
    resolution,
    search,
    query,
    view,
    inLanguage: (language, path) => view(path, { lang: language }),
    signedOut: withQuery(SIGN_IN_PATH, { ...(asked && { lang: asked }), 'signed-out': '1' }),
  }
}

/** An empty value leaves its name out. */
function withQuery(path: string, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '')).toString()
  return query === '' ? path : `${path}?${query}`
}
