import type { Page } from './page.ts'
import { redirect } from './redirect.ts'
import { type SignInParts, signInPages, signOutToken } from './sign-in/pages.ts'
import { addressOf, USAGE_PATH } from './usage/addresses.ts'
import { type UsageParts, usagePage } from './usage/page.ts'

export type PortalParts = SignInParts & Pick<UsageParts, 'usage'>

/** The partner's portal: signing in, the usage page, signing out. */
export function portalPages(parts: PortalParts): readonly Page[] {
  const { sessions } = parts
  const usage = usagePage({ ...parts, signOutToken: (id) => signOutToken(sessions, id) })
  return [usage, ...signInPages(parts), toUsage('/portal'), toUsage('/portal/')]
}

/** What people type. */
function toUsage(path: string): Page {
  return {
    id: 'portal.home',
    method: 'GET',
    path,
    group: 'other',
    isDocument: true,
    render: (visit) => redirect(308, addressOf(visit).view(USAGE_PATH)),
  }
}
