import { isPublicClientId } from '../../../tokens/client-id.ts'
import { latin1, utf8 } from '../../message/bytes.ts'
import { createNeedles } from './needles.ts'
import { base64Needles, findPatterns } from './patterns.ts'
import { views } from './views.ts'

/** Where a secret stands in a text. `value` is the secret itself when it is known, else its decoded spelling. */
export type SecretHit = {
  readonly start: number
  readonly end: number
  readonly rule: string
  readonly value: string
}

/**
 * Every secret that this process has seen. `find` knows them in each spelling: raw, percent-encoded up to three
 * times, form-encoded, JSON-escaped, UTF-16, and in base64 at every alignment in both alphabets; and beside them
 * whatever looks like a key, a signing secret, a token, credentials or user information of a URL.
 */
export type Secrets = {
  readonly learn: (value: string) => void
  /** `bytes` as a Latin-1 string, so that positions are byte offsets. In order, without overlaps. */
  readonly find: (bytes: string) => SecretHit[]
}

/** The words of OAuth, of HTTP and of the file format, and our stand-ins. */
const FORMAT_WORDS = [
  'client_credentials authorization_code refresh_token idempotency-key authorization',
  'application/json application/problem+json application/x-www-form-urlencoded',
  'startedDateTime httpVersion queryString headersSize bodySize statusText mimeType redirectURL interactions',
  'redactions bindings pointer request-body request-header reply-body reply-header',
  'redacted-token-1 redacted-access-token-1 redacted-client-secret-1 redacted-client-id-1 redacted-signing-secret-1',
  'redacted-sandbox-key-1 redacted-credentials-1 redacted-basic-1 redacted-cookie-1 redacted-base64-1 redacted-1',
]

const REFUSED = 1000

/**
 * A word of the interface (`words`) or of the file format that somebody sent as a secret cannot be one: it would be
 * found on every page. Where it was sent, its field is redacted all the same.
 */
export function createSecrets(words: readonly string[] = []): Secrets {
  const vocabulary = [...FORMAT_WORDS, ...words].join(' ')
  const known = new Set<string>()
  /** What was refused as a needle a moment ago: the same token comes with every request. */
  const refused = new Set<string>()
  const needles = createNeedles<{ readonly value: string; readonly base64: boolean }>()
  let last = ''

  const learn = (value: string) => {
    // A client sends one token with every request: the last one is known without hashing it.
    if (value === last) return
    last = value
    if (known.has(value) || refused.has(value)) return
    if (!isSearchable(value, vocabulary)) {
      if (refused.size >= REFUSED) refused.clear()
      refused.add(value)
      return
    }
    known.add(value)
    for (const spelling of spellings(value)) {
      // A space in a form is a plus sign, and percent-decoding leaves it one.
      needles.add(latin1(spelling), { value, base64: false })
      for (const needle of base64Needles(latin1(spelling))) needles.add(needle, { value, base64: true })
    }
  }

  const find = (bytes: string): SecretHit[] => {
    const hits: SecretHit[] = []
    for (const view of views(bytes)) {
      const hit = (start: number, end: number, rule: string, value: string) => {
        const [from, to] = view.source(start, end)
        hits.push({ start: from, end: to, rule, value })
      }
      needles.scan(view.text, (start, end, { value, base64 }) => {
        if (!base64) {
          hit(start, end, 'learned', value)
          return
        }
        // The characters at both ends carry bits of the secret as well.
        const from = start > 0 && isBase64(view.text.charAt(start - 1)) ? start - 1 : start
        const tail = /^[A-Za-z0-9+/_-]?={0,2}/.exec(view.text.slice(end, end + 3))?.[0].length ?? 0
        hit(from, end + tail, 'learned', value)
      })
      for (const { start, end, rule } of findPatterns(view.text))
        hit(start, end, rule, utf8(view.text.slice(start, end)))
    }
    return hits.length < 2 ? hits : united(hits)
  }

  return { learn, find }
}

function isSearchable(value: string, vocabulary: string): boolean {
  // Shorter ones are redacted where their field or header says what they are; elsewhere they would be chance.
  if (value.length < 8 || vocabulary.includes(value)) return false
  if (value.startsWith('redacted-') || isPublicClientId(value)) return false
  // What a pattern recognises on its own needs no needle: thousands of tokens would be thousands of kilobytes.
  const [found] = findPatterns(latin1(value))
  return !(found && found.start === 0 && found.end === value.length && found.rule !== 'userinfo')
}

function spellings(value: string): Set<string> {
  const percent = encodeURIComponent(value.toWellFormed())
  return new Set([
    value,
    value.replaceAll(' ', '+'),
    percent,
    percent.replaceAll('%20', '+'),
    JSON.stringify(value).slice(1, -1),
  ])
}

function isBase64(character: string): boolean {
  return /[A-Za-z0-9+/_-]/.test(character)
}

/** Overlapping hits become one; a known value names it rather than a pattern, and a longer hit rather than a shorter. */
function united(hits: readonly SecretHit[]): SecretHit[] {
  const sorted = [...hits].sort((a, b) => a.start - b.start || b.end - a.end)
  const result: SecretHit[] = []
  for (const hit of sorted) {
    const last = result[result.length - 1]
    if (last === undefined || hit.start >= last.end) {
      result.push(hit)
      continue
    }
    const better = rank(hit) > rank(last) ? hit : last
    result[result.length - 1] = {
      start: last.start,
      end: Math.max(last.end, hit.end),
      rule: better.rule,
      value: better.value,
    }
  }
  return result
}

function rank(hit: SecretHit): number {
  return (hit.rule === 'learned' ? 1e9 : 0) + hit.end - hit.start
}
