import { AT, CAPITAL, COLON, HYPHEN, type Marks, PLUS, SLASH, SPACE, TAG } from '../secrets/marks.ts'
import type { PatternHit } from '../secrets/pattern-hit.ts'
import { isStandIn } from './told.ts'

/**
 * What is a person by its form, wherever it stands and whatever it is called: an address of e-mail, a phone number as it
 * is dialled or grouped, an IBAN whose check digits are right, the lines of a passport.
 */
export function findPeople(text: string, { has, digits }: Marks): PatternHit[] {
  const hits: PatternHit[] = []
  if ((has & AT) !== 0) each(text, EMAIL, hits, 'email', isSomebodys)
  if ((has & SPACE) !== 0) {
    each(text, TITLED, hits, 'lastName', () => true)
    if (digits >= 4) each(text, BORN, hits, 'dateOfBirth', () => true)
  }
  if ((has & TAG) !== 0) each(text, PASSPORT, hits, 'passport', () => true)
  if (digits < 9) return hits
  if ((has & PLUS) !== 0 || text.includes('00')) each(text, PHONE, hits, 'phone', isPhone)
  each(text, LOCAL, hits, 'phone', () => true)
  if ((has & (SPACE | SLASH | COLON)) !== 0 && DIALLED.test(text))
    each(text, CALLED, hits, 'phone', () => true)
  each(text, MOBILE_MONEY, hits, 'phone', () => true)
  if ((has & CAPITAL) !== 0) each(text, IBAN, hits, 'iban', isIban)
  if ((has & HYPHEN) !== 0) each(text, SOCIAL_SECURITY, hits, 'nationalId', () => true)
  return hits
}

/** What stands before a number that is dialled. */
const DIALLED = /[ .:/()][0-9]{9}/
const EMAIL =
  /(?<![\w.%+-])[A-Za-z0-9_][\w.%+'-]{0,63}@(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,4}[A-Za-z]{2,24}(?![\w-])/g
/** In the international form, in any grouping. */
const PHONE = /(?<![\w+.-])(?:\+|00(?=[1-9]))[1-9][0-9]{0,14}(?:[ .()/-]{1,3}[0-9]{1,12}){0,6}(?![\w])/g
/** In pairs, with the zero before it. */
const LOCAL = /(?<![\w.+-])0[1-9](?:[ .-][0-9]{2}){4}(?![\w.-]?[0-9A-Za-z])/g
/** Behind what one does with a number. */
const CALLED =
  /(?<=\b(?:call|call us|sms|tel|phone|mobile|momo|money|whatsapp|wa\.me|wave|wallet|contact|appelez|num\xc3\xa9ro)[ .:/()]{1,3})[0-9]{9,14}(?![\w])/gi
/** Countries with mobile money, and how many digits their numbers have. */
const MOBILE_MONEY =
  /(?<![\w.+-])(?:22[59][0-9]{10}|2(?:21|33|37|43|5[0456])[0-9]{9}|2(?:23|26|27|28|29|31)[0-9]{8}|234[0-9]{10})(?![\w]|[.,-][0-9])/g
const BORN =
  /(?<=\b(?:born|born on|n\xc3\xa9e? le) )(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2,4}|[0-9]{1,2} [A-Za-z\x80-\xff]{3,10} [0-9]{4})/gi
const IBAN = /(?<![A-Za-z0-9_])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Za-z0-9])/g
/** Behind a title. */
const TITLED =
  /(?<=\b(?:Mr|Mrs|Ms|Mme|Mlle|Madame|Monsieur|Dr)\.? )[A-Z\xc3][\w\x80-\xff'-]{2,30}(?: [A-Z\xc3][\w\x80-\xff'-]{1,30}){0,3}|(?<=\bDear )[A-Z\xc3][\w\x80-\xff'-]{2,30}(?: [A-Z\xc3][\w\x80-\xff'-]{1,30}){1,3}/g
const SOCIAL_SECURITY = /(?<![\w-])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![\w-])/g
const PASSPORT = /(?<![A-Z<])[PIAC][A-Z<][A-Z]{3}[A-Z]{2,40}<<[A-Z<]{10,60}(?:\s{1,4}[A-Z0-9<]{30,44})?/g

function each(
  text: string,
  find: RegExp,
  hits: PatternHit[],
  rule: string,
  holds: (value: string, text: string, start: number) => boolean,
): void {
  find.lastIndex = 0
  for (let match = find.exec(text); match !== null; match = find.exec(text)) {
    const [value] = match
    if (!holds(value, text, match.index) || isExample(text, match.index) || isStandIn(value)) continue
    hits.push({ start: match.index, end: match.index + value.length, rule, isPerson: true })
  }
}

/** `such as +2250700000001` shows the form of a value. */
function isExample(text: string, start: number): boolean {
  return /(?:such as|for example|e\.g\.|comme|par exemple) {0,2}["'`]?$/i.test(
    text.slice(Math.max(0, start - 16), start),
  )
}

const IN_URL = /:\/\/[^\s/?#]*$/

/** Addresses of offices, and what stands before the host of a URL. */
function isSomebodys(value: string, text: string, start: number): boolean {
  if (/@redacted\.|^person-[0-9]/i.test(value) || IN_URL.test(text.slice(Math.max(0, start - 200), start)))
    return false
  return !/^(?:no-?reply|support|help|info|admin|sales|office|privacy|security|postmaster|git|noc|dpo|root|webmaster)@/i.test(
    value,
  )
}

function isPhone(value: string): boolean {
  const digits = value.replaceAll(/\D/g, '').replace(/^00/, '')
  return digits.length >= 9 && digits.length <= 15 && !/^99[0-9]/.test(digits)
}

/** ISO 13616: the check digits say that nothing else is meant. */
function isIban(value: string): boolean {
  const plain = value.replaceAll(' ', '')
  if (plain.length < 15 || plain.length > 34) return false
  let rest = 0
  for (const character of plain.slice(4) + plain.slice(0, 4)) {
    const code = character.charCodeAt(0)
    rest = (code >= 65 ? rest * 100 + code - 55 : rest * 10 + code - 48) % 97
  }
  return rest === 1
}
