import { BUILT_IN } from '../cassettes/bindings/deciding.ts'
import type { Cassette, Deciding } from '../cassettes/interaction.ts'
import { judgeOutcomes } from '../config/judged-outcomes.ts'
import { OUTCOMES_PATH } from '../portal/public-documents.ts'
import { readPublishedOutcomes } from '../simulator/published-outcomes.ts'
import { sendTo, type Upstream } from '../upstream/send.ts'

/** What decides in the sandbox that is recorded, as far as anybody knows. */
export type AskedOutcomes = NonNullable<Cassette['outcomes']> & {
  /** Why these and not the sandbox's own. */
  readonly because?: string
}

/** Whoever waits for a recorder to listen waits no longer than this. */
const PATIENCE_MS = 2_000
/** A thousand rules are some 250 KB. */
const MAX_BYTES = 1024 * 1024

/**
 * Asks the sandbox what decides in it, before anything passes; the question is not recorded. Without an answer it is
 * what `named` says (the configuration that somebody has named), else the built-in rules.
 */
export async function askOutcomes(
  upstream: Upstream,
  { base, host }: { readonly base: string; readonly host: string },
  named: Deciding | undefined,
): Promise<AskedOutcomes> {
  let abort = () => {}
  const patience = setTimeout(() => abort(), PATIENCE_MS)
  const instead = (because: string): AskedOutcomes => ({
    from: named ? 'configuration' : 'built-in',
    ...(named ?? BUILT_IN),
    because,
  })
  try {
    const lines = [
      ['Host', host],
      ['Accept', 'application/json'],
    ] as const
    const request = { method: 'GET', target: base + OUTCOMES_PATH, lines, body: null }
    const { status, body } = await sendTo(upstream, request, (end) => {
      abort = end
    })
    abort = () => body.destroy()
    if (status !== 200) {
      body.destroy()
      return instead(`the sandbox does not tell them (GET ${OUTCOMES_PATH} is ${status})`)
    }
    const published = readPublishedOutcomes(await readJson(body))
    if (!published) return instead(`what the sandbox tells at ${OUTCOMES_PATH} cannot be read`)
    const judged = judgeOutcomes(published.rules, published.scores)
    if (!judged.ok) return instead(`those of the sandbox are wrong: ${judged.problem}`)
    return { from: 'sandbox', rules: judged.outcomes, scores: judged.scores }
  } catch {
    return instead(`the sandbox did not tell them within ${PATIENCE_MS / 1000} seconds`)
  } finally {
    clearTimeout(patience)
  }
}

/** @throws when it is too long, is cut or is no JSON. */
async function readJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > MAX_BYTES) throw new RangeError('the document is too long')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
