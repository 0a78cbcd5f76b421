import type { Cassette, Interaction } from '../cassettes/interaction.ts'
import { splitTarget } from '../http/target.ts'
import { docsPages } from '../portal/docs/page.ts'
import type { Page } from '../portal/page.ts'
import { type DocumentParts, publicDocuments } from '../portal/public-documents.ts'
import { startPage } from '../portal/start-page.ts'

/** For a script that waits until the replay listens: asking for anything else would be a miss, or use an answer up. */
const LIVENESS: Page = {
  id: 'livez',
  method: 'GET',
  path: '/livez',
  group: 'other',
  isDocument: true,
  render: () => ({
    kind: 'page',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"live":true}',
  }),
}

const demo = () => undefined

/** What a gateway that replays has by itself, whatever was recorded: its documents, and a sign of life. */
export function livePages(parts: DocumentParts): readonly Page[] {
  return [...publicDocuments(parts), ...docsPages({ demo, hasPortal: false }), LIVENESS]
}

/** A start page for who opens a replay in a browser, unless one was recorded: that one is the tape's. */
export function startPages(cassettes: readonly Cassette[], publicUrl: () => string): readonly Page[] {
  const pages = [startPage({ publicUrl, demo, hasPortal: false })]
  const isRecorded = isForOneOf(pages)
  return cassettes.some(({ interactions }) => interactions.some(isRecorded)) ? [] : pages
}

/** Whatever an upstream has answered there: what is true of this gateway. */
const ALWAYS_OURS: ReadonlySet<string> = new Set([LIVENESS.id, 'sandbox.outcomes', 'jwks', 'oauth.metadata'])

/** Whether a recorded request was for one of the pages, and its answer is ours: that of an upstream is its own. */
export function isForOneOf(pages: readonly Page[]): (interaction: Interaction) => boolean {
  const patterns = pages.map(({ path, id }) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{[A-Za-z]+\}/g, '[^/]+')}$`),
    isAlwaysOurs: ALWAYS_OURS.has(id),
  }))
  return ({ request: { method, target }, origin }) => {
    if (method !== 'GET' && method !== 'HEAD') return false
    const { path } = splitTarget(target)
    const page = patterns.find(({ pattern }) => pattern.test(path))
    return page !== undefined && (page.isAlwaysOurs || origin !== 'upstream')
  }
}
