import type { HeaderLine } from '../../http/header-lines.ts'
import { isPublicClientId } from '../../tokens/client-id.ts'
import { decidingOf } from '../bindings/deciding.ts'
import { CassetteError, type CassettePlace } from '../cassette-error.ts'
import { chainHash } from '../file/chain.ts'
import { editsOf } from '../file/har/edits.ts'
import { formatJson } from '../file/har/format.ts'
import { harParts } from '../file/har/parts.ts'
import { entryText } from '../file/har/write.ts'
import { type LoadedCassette, parseCassette } from '../file/load.ts'
import { readFile } from '../file/read-file.ts'
import type { Cassette, Deciding, Interaction, Place } from '../interaction.ts'
import { type EditableField, queryFields } from '../message/body-fields.ts'
import { withinBounds } from '../message/bounds.ts'
import { latin1 } from '../message/bytes.ts'
import { movedPlaces } from '../message/moved-places.ts'
import { placeKey } from '../message/place.ts'
import { readableBody } from '../message/readable-body.ts'
import { noReplySentence } from '../no-reply.ts'
import { ruleOf } from '../redaction/body.ts'
import { isDigestText } from '../redaction/body-digest.ts'
import { CONTRACT_FIELDS } from '../redaction/contract.ts'
import { isJudged } from '../redaction/edits.ts'
import { placeInBody, placeInTarget } from '../redaction/holes.ts'
import { createSecrets, type Secrets } from '../redaction/secrets/secrets.ts'
import { createFieldLookup } from '../redaction/stand-ins/field-rules.ts'
import { createStandIns, type StandIns } from '../redaction/stand-ins/stand-ins.ts'

export type LintProblem = {
  /** `error`: must not be committed. `warning`: a person should look at it. */
  readonly severity: 'error' | 'warning'
  readonly kind: 'secret' | 'personal' | 'structure' | 'binding' | 'edited'
  /** Never repeats a secret or a personal value. */
  readonly message: string
  readonly at: CassettePlace
  readonly place?: Place
}

export type LintOptions = {
  /** What names the test values that may stand in a cassette; by default what decides in the cassette itself. */
  readonly deciding?: Deciding | undefined
  /** Secrets to look for, beside what looks like one. */
  readonly secrets?: Secrets
  /** Told the number of each entry, from 1, when it has been searched for secrets, and when it is judged. */
  readonly onEntry?: (entry: number) => void
}

/** What is wrong with a cassette before it is committed: secrets, personal data, structure. Empty when nothing is. */
export function lintCassette(target: string | Cassette, options: LintOptions = {}): LintProblem[] {
  const secrets = options.secrets ?? createSecrets()
  if (typeof target !== 'string') {
    const scanned = target.interactions.flatMap((interaction) =>
      scan(entryText(interaction, target.origin), { entry: interaction.sequence }, secrets),
    )
    return [...scanned, ...lintInteractions(target, options)]
  }
  try {
    const bytes = readFile(target)
    // Secrets first: they are found in a file that cannot be loaded as well.
    const found = scanFile(bytes, target, secrets, options.onEntry)
    try {
      const cassette = parseCassette(bytes, target)
      return [...found, ...lintFile(bytes, cassette), ...lintInteractions(cassette, options)]
    } catch (cause) {
      return [...found, structural(cause)]
    }
  } catch (cause) {
    return [structural(cause)]
  }
}

type Spanned = { readonly span: readonly [number, number]; readonly at: CassettePlace }

function scanFile(
  bytes: Buffer,
  path: string,
  secrets: Secrets,
  onEntry: LintOptions['onEntry'],
): LintProblem[] {
  if (!path.endsWith('.jsonl')) {
    try {
      const { entries = [], members } = harParts(bytes, path)
      const texts = [...entries].map((span, i) => ({ span, at: { entry: i + 1 } }))
      const rest = [...members.values()].map((span) => ({ span, at: {} }))
      return [...rest, ...texts].flatMap(({ span, at }: Spanned) => {
        if (at.entry !== undefined) onEntry?.(at.entry)
        return scan(bytes.toString('utf8', ...span), at, secrets)
      })
    } catch {
      // Not a HAR: line by line, then.
    }
  }
  return bytes
    .toString('latin1')
    .split('\n')
    .flatMap((line, i) => scanBytes(line, { line: i + 1 }, secrets))
}

function scan(text: string, at: CassettePlace, secrets: Secrets): LintProblem[] {
  return scanBytes(latin1(text), at, secrets)
}

function scanBytes(bytes: string, at: CassettePlace, secrets: Secrets): LintProblem[] {
  const problem = (message: string): LintProblem => ({ severity: 'error', kind: 'secret', message, at })
  return withinBounds(
    () => secrets.findInFile(bytes).map(({ rule }) => problem(`holds a secret (${rule})`)),
    (beyond) => [problem(`holds more than can be looked through (${beyond})`)],
  )
}

function lintFile(bytes: Buffer, cassette: LoadedCassette): LintProblem[] {
  if (cassette.form === 'journal') {
    const dropped = cassette.recovered?.dropped ?? 0
    const message = `is a recording that was not finished${dropped > 0 ? `; ${dropped} torn lines were cut` : ''}`
    return [{ severity: 'warning', kind: 'structure', message, at: {} }]
  }
  let chain = ''
  const edits: LintProblem[] = []
  for (const [i, [start, end]] of (harParts(bytes, cassette.file).entries ?? []).entries()) {
    const entry: unknown = JSON.parse(bytes.toString('utf8', start, end))
    chain = chainHash(chain + formatJson(entry, '      '))
    edits.push(...editsOf(entry).map((message) => edited(message, { entry: i + 1 })))
  }
  if (chain === '' || cassette.chain === chain) return edits
  return [edited('was edited after it had been recorded', {}), ...edits]
}

function edited(message: string, at: CassettePlace): LintProblem {
  return { severity: 'warning', kind: 'edited', message, at }
}

function lintInteractions(cassette: Cassette, options: LintOptions): LintProblem[] {
  let deciding: Deciding
  try {
    deciding = options.deciding ?? decidingOf(cassette)
  } catch (cause) {
    return [structural(cause)]
  }
  const { rules, scores } = deciding
  const standIns = createStandIns({
    fields: createFieldLookup(CONTRACT_FIELDS),
    rules,
    testValues: Object.keys(scores),
  })
  const problems: LintProblem[] = []
  const secrets = createSecrets(CONTRACT_FIELDS.words)
  const seen = new Set<number>()
  for (const interaction of cassette.interactions) {
    const at = { entry: interaction.sequence }
    if (seen.has(interaction.sequence)) {
      const message = `the sequence ${interaction.sequence} stands twice`
      problems.push({ severity: 'error', kind: 'structure', message, at })
    }
    seen.add(interaction.sequence)
    options.onEntry?.(interaction.sequence)
    if (interaction.reply === undefined) {
      const message = `has no reply: ${noReplySentence(interaction.noReply)}`
      problems.push({ severity: 'warning', kind: 'structure', message, at })
    }
    problems.push(...lintBeyond(interaction))
    const inFields = lintFields(interaction, standIns, cassette.redaction)
    const told = new Set(inFields.flatMap(({ place }) => (place ? [placeKey(place)] : [])))
    problems.push(
      ...inFields,
      ...lintTexts(interaction, standIns, cassette.redaction, secrets).filter(
        ({ place }) => place === undefined || !told.has(placeKey(place)),
      ),
      ...lintPlaces(interaction),
    )
  }
  return problems
}

/** A body that nobody has looked through, and that is matched by its length and digest. */
function lintBeyond({ request, redactions, sequence }: Interaction): LintProblem[] {
  if (!isDigestText(request.body)) return []
  const rule = redactions.find((one) => one.rule.startsWith('beyond '))?.rule ?? 'beyond too-long'
  const why = rule.slice('beyond '.length).replaceAll('-', ' ')
  const message = `holds the digest of a body that was not looked through (${why})`
  const place = { part: 'request-body', pointer: '' } as const
  return [{ severity: 'warning', kind: 'structure', message, at: { entry: sequence }, place }]
}

function lintFields(interaction: Interaction, standIns: StandIns, policy: string): LintProblem[] {
  const { request, reply, redactions, sequence } = interaction
  const redacted = new Set(redactions.map(({ place }) => placeKey(place)))
  const parts: [Place['part'], readonly EditableField[]][] = [
    ['query', queryFields(request.target)],
    ['request-body', readableBody(request).fields],
    ['reply-body', reply ? readableBody(reply).fields : []],
  ]
  return parts.flatMap(([part, fields]) =>
    fields.flatMap((field): LintProblem[] => {
      const { pointer, value } = field
      const rule = ruleOf(field, standIns.fields)
      if (rule === undefined || redacted.has(placeKey({ part, pointer }))) return []
      const at = { entry: sequence }
      const place = { part, pointer }
      if (rule.kind === 'personal') {
        if (standIns.personal(rule.type, value).verbatim) return []
        const severity = policy.startsWith('contract') ? 'error' : 'warning'
        return [{ severity, kind: 'personal', message: `holds a personal value (${rule.type})`, at, place }]
      }
      if (rule.kind === 'client-id' && (value.startsWith('redacted-') || isPublicClientId(value))) return []
      return [{ severity: 'error', kind: 'secret', message: `holds a secret (${rule.type})`, at, place }]
    }),
  )
}

/** People in texts, in paths and in headers: by what a recording takes them out by. */
function lintTexts(
  { request, reply, sequence }: Interaction,
  standIns: StandIns,
  policy: string,
  secrets: Secrets,
): LintProblem[] {
  const target = latin1(request.target)
  const texts: LintedText[] = [
    { text: target, fields: queryFields(target), placeOf: placeInTarget(target, queryFields(target)) },
    ...bodyTexts('request', request),
    ...(reply ? bodyTexts('reply', reply) : []),
  ]
  const severity = policy.startsWith('contract') ? 'error' : 'warning'
  return texts.flatMap(({ text, fields, placeOf }) =>
    withinBounds(
      () =>
        secrets
          .find(text, [], true)
          .filter((hit) => hit.isPerson && !isJudged(text, fields, hit))
          .filter(({ rule, value }) => !standIns.personal(rule, value).verbatim)
          .map(({ rule, start, end }): LintProblem => {
            const message = `holds a personal value (${rule})`
            return {
              severity,
              kind: 'personal',
              message,
              at: { entry: sequence },
              place: placeOf(start, end),
            }
          }),
      () => [],
    ),
  )
}

type LintedText = {
  readonly text: string
  readonly fields: readonly EditableField[]
  readonly placeOf: (start: number, end: number) => Place
}

function bodyTexts(
  part: 'request' | 'reply',
  message: { readonly headers: readonly HeaderLine[]; readonly body: Uint8Array },
): LintedText[] {
  const { bytes, fields } = readableBody(message)
  const lines = message.headers.map(([name, value]): LintedText => {
    const place = { part: `${part}-header`, pointer: `/${name.toLowerCase()}` } as const
    return { text: latin1(value), fields: [], placeOf: () => place }
  })
  return [...lines, { text: bytes, fields, placeOf: placeInBody(`${part}-body`, fields) }]
}

function structural(cause: unknown): LintProblem {
  if (!(cause instanceof CassetteError)) throw cause
  return {
    severity: 'error',
    kind: 'structure',
    message: `${cause.reason}: ${cause.detail}`,
    at: cause.place,
  }
}

/** Whoever replays such a cassette gets this as an error. */
function lintPlaces(interaction: Interaction): LintProblem[] {
  const at = { entry: interaction.sequence }
  return movedPlaces(interaction).map(
    ({ place, message }): LintProblem => ({ severity: 'error', kind: 'binding', message, at, place }),
  )
}
