import { portalUsage } from '../../operations/portal-usage.ts'
import type { Awaitable } from '../../store/store.ts'
import { browserRefusal } from '../browser-refusal.ts'
import { documentContent, inline } from '../document.ts'
import { ICONS } from '../icons.ts'
import { languageSwitch } from '../language-switch.ts'
import { LIVE_SCRIPT } from '../live-script.ts'
import { LOOK } from '../look.css.ts'
import { type Markup, markup } from '../markup.ts'
import type { Page, PageContent, Viewer, Visit } from '../page.ts'
import { seeOther } from '../redirect.ts'
import { WIDE_LOOK } from '../wide.css.ts'
import { addressOf, type Resolution, SIGN_IN_PATH, SIGN_OUT_PATH, USAGE_PATH } from './addresses.ts'
import { activityCard } from './charts.ts'
import { secondText } from './format.ts'
import { capsCard, limitsCard } from './headroom.ts'
import { refusalsCard } from './refusals.ts'
import { live, type Scene, sceneOf } from './scene.ts'
import { USAGE_LOOK } from './usage.css.ts'
import { verdict } from './verdict.ts'
import type { PortalView } from './view.ts'

export type UsageParts = {
  readonly usage: (
    viewer: Viewer,
    resolution: Resolution,
    windows: ReturnType<Visit['windows']>,
    now: number,
  ) => Awaitable<PortalView>
  /** What the form that ends a session carries. */
  readonly signOutToken: (sessionId: string) => string
}

const STYLE = inline(LOOK + WIDE_LOOK + USAGE_LOOK)

/** What a browser gets of the usage view: the same facts as its JSON, to look at. Nobody else's but the viewer's. */
export function usagePage(parts: UsageParts): Page {
  const { id, path } = portalUsage
  return {
    id,
    method: 'GET',
    path,
    group: 'other',
    isDocument: true,
    takesSession: true,
    renderRefusal: browserRefusal,
    render: async (visit) => {
      const addresses = addressOf(visit)
      const { viewer, now } = visit
      if (!viewer) return seeOther(addresses.view(SIGN_IN_PATH))
      const view = await parts.usage(viewer, addresses.resolution, visit.windows(), now)
      const { session } = viewer
      const token = session && parts.signOutToken(session.id)
      return { kind: 'page', status: 200, ...usageContent(sceneOf(addresses, now), view, token) }
    },
  }
}

/** `signOut`: the token of the form that ends the session; undefined where a bearer token opened the page. */
export function usageContent(scene: Scene, view: PortalView, signOut: string | undefined): PageContent {
  const { texts, language, addresses } = scene
  const { name, usage } = view
  return documentContent({
    language,
    title: `${texts.title} · ${name} · Sandgate`,
    heading: name,
    lead: markup`<p class="tenant"><code>${usage.tenant}</code></p>
${live('verdict', verdict(scene, view))}
${freshness(scene)}`,
    corner: markup`<span class="corner">${languageSwitch(language, (each) => addresses.inLanguage(each, USAGE_PATH))}${signOut !== undefined && signOutForm(scene, signOut)}</span>`,
    content: markup`<div class="cards">${live('caps', capsCard(scene, usage))}
${live('limits', limitsCard(scene, usage))}
<div class="span">${live('activity', activityCard(scene, view))}</div>
<div class="span">${refusalsCard(scene, usage.refusals)}</div></div>`,
    style: STYLE,
    layout: 'wide',
    referrer: 'same-origin',
    // Without a session the page could not be asked for again.
    ...(signOut !== undefined && { script: LIVE_SCRIPT, refreshes: true }),
  })
}

/** When these figures were true, and a way to newer ones that needs no script. */
function freshness({ texts, language, now, addresses }: Scene): Markup {
  const time = secondText(language, now)
  return markup`<p class="fresh"><span data-live="as-of">${texts.asOf(time)}</span> <a href="${addresses.view(USAGE_PATH)}">${ICONS.again}${texts.refresh}</a></p>
<p class="stale" role="status" data-stale="${texts.stale}"></p>`
}

function signOutForm({ texts, addresses }: Scene, token: string): Markup {
  return markup`<form method="post" action="${addresses.view(SIGN_OUT_PATH)}"><input type="hidden" name="token" value="${token}"><button class="quiet">${ICONS.leave}<span>${texts.signOut}</span></button></form>`
}
