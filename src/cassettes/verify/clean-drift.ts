import { decidingOf } from '../bindings/deciding.ts'
import type { CapturedReply, CapturedRequest, Cassette } from '../interaction.ts'
import { CONTRACT_FIELDS, redactionPolicy } from '../redaction/contract.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { createSecrets } from '../redaction/secrets/secrets.ts'
import type { Drift } from './report.ts'

export type Clean = (text: string) => string

/**
 * Makes what a report may show of a live exchange: what a recorder would find in it, and in those before it, is taken
 * out wherever it stands.
 */
export function createCleaner(cassette: Cassette): (request: CapturedRequest, reply: CapturedReply) => Clean {
  const { rules, scores } = decidingOf(cassette)
  const redactor = createRedactor({
    policy: redactionPolicy(),
    secrets: createSecrets(CONTRACT_FIELDS.words),
    rules,
    configuredTestValues: Object.keys(scores),
  })
  return (request, reply) => {
    const { words } = redactor.redactRequest(request)
    redactor.redactReply(reply, words)
    return (text) => redactor.redactText(text, words)
  }
}

/** A name of a field is the sandbox's own text as well. */
export function shownDrift({ at, live, ...drift }: Drift, clean: Clean): Drift {
  return { ...drift, at: clean(at), ...(live !== undefined && { live: clean(live) }) }
}
