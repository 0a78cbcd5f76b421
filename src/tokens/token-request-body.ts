import { type Result, refuse } from '../errors/refusal.ts'
import { essence } from '../http/media-type.ts'
import { decodeForm } from '../http/percent.ts'

/** The parameters that mean something here. RFC 6749 section 3.2: others are ignored. */
const NAMES = ['client_id', 'client_secret', 'grant_type', 'scope'] as const
type Name = (typeof NAMES)[number]

/** What was sent; section 3.2 again: a parameter without a value counts as left out. */
export type Parameters = { readonly [N in Name]?: string }

/** Reads bytes as JSON and refuses duplicate keys, excessive depth and invalid UTF-8. */
export type ParseJson = (body: Buffer) => Result<unknown>

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'
// Also lone surrogates, which JSON can spell and UTF-8 cannot.
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A form, JSON, or no content type, which is read as a form. No detail repeats what was sent. */
export function readParameters(
  contentType: string | undefined,
  body: Buffer,
  parseJson: ParseJson,
): Result<Parameters> {
  const mediaType = essence(contentType ?? '') || FORM
  if (mediaType !== FORM && mediaType !== JSON_TYPE) return unsupported(mediaType)
  // Everything may be in the Authorization header.
  if (body.length === 0) return { ok: true, value: {} }
  return mediaType === JSON_TYPE ? readJson(body, parseJson) : readForm(body)
}

function unsupported(mediaType: string): Result<never> {
  const detail = mediaType.startsWith('multipart/')
    ? `The token exchange does not take multipart bodies: send ${FORM}. With curl, use -d instead of -F.`
    : `The token exchange takes ${FORM} or ${JSON_TYPE}.`
  return { ok: false, refusal: refuse('UNSUPPORTED_MEDIA_TYPE', detail) }
}

function invalid(detail: string): Result<never> {
  return { ok: false, refusal: refuse('INVALID_REQUEST', detail) }
}

function readForm(body: Buffer): Result<Parameters> {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return invalid('The body is not valid UTF-8.')
  }
  // A common mistake of clients (axios/axios#362, curl -d). Guessing would make a client work here that then
  // fails elsewhere, so it is told instead.
  if (/^\s*\{/.test(text)) {
    return invalid(`The body is JSON but is labelled as a form: send Content-Type: ${JSON_TYPE}.`)
  }
  const sent = new Map<string, string>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeForm(equals < 0 ? pair : pair.slice(0, equals))
    const value = decodeForm(equals < 0 ? '' : pair.slice(equals + 1))
    if (name === undefined || value === undefined) {
      return invalid('The body is not form-encoded: a percent sign has to be sent as %25.')
    }
    if (sent.has(name))
      return invalid(`A parameter was sent more than once${isName(name) ? `: ${name}.` : '.'}`)
    sent.set(name, value)
  }
  return collect((name) => sent.get(name))
}

function readJson(body: Buffer, parseJson: ParseJson): Result<Parameters> {
  const parsed = parseJson(body)
  if (!parsed.ok) {
    if (/^\s*[a-z_]+=/.test(body.toString('latin1', 0, 64))) {
      return invalid(`The body is a form but is labelled as JSON: send Content-Type: ${FORM}.`)
    }
    // One code for a malformed token request, whichever way it is written.
    return parsed.refusal.code === 'MALFORMED_BODY' ? invalid(parsed.refusal.detail) : parsed
  }
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('The body has to be a JSON object.')
  }
  const sent = new Map<string, unknown>(Object.entries(value))
  return collect((name) => sent.get(name))
}

function collect(get: (name: Name) => unknown): Result<Parameters> {
  const parameters: { [N in Name]?: string } = {}
  for (const name of NAMES) {
    const value = get(name)
    if (value === undefined || value === '') continue
    if (typeof value !== 'string') {
      const hint = name === 'scope' ? ', with spaces between the scopes' : ''
      return invalid(`${name} has to be a string${hint}.`)
    }
    if (UNPRINTABLE.test(value)) return invalid(`${name} contains a line break or another control character.`)
    parameters[name] = value
  }
  return { ok: true, value: parameters }
}

function isName(name: string): name is Name {
  return NAMES.some((known) => known === name)
}
