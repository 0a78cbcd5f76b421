import { pointerSteps } from '../../http/json-pointer.ts'
import { rowOf } from '../../operations/operations.ts'
import { readPlaceKey } from '../message/place.ts'
import type { ClosestInteraction, MissReason, MissReport } from './report.ts'

/** The extension members of the 424 problem: the report as it is, and the first remedy as a sentence. */
export function missMembers(report: MissReport): Readonly<Record<string, unknown>> {
  return { cassette: { ...report, remedy: remedyOf(report) } }
}

/** The detail of the problem: what was asked for, what to do, and how the closest one differs. */
export function missDetail(report: MissReport): string {
  const { method, operation, target } = report.request
  return `No recorded answer matches ${method} ${target} (${operation}). ${remedyOf(report)}`
}

/** What to do first, in one sentence. */
export function remedyOf(report: MissReport): string {
  const { say, paste } = deedOf(report)
  return `${say} ${paste}`
}

/** What to do first: a sentence, and what it wants to be pasted, which may be a flag, a header or a command. */
export function deedOf(report: MissReport): { readonly say: string; readonly paste: string } {
  const [first] = report.closest
  const reason = first && (first.reasons.find(({ kind }) => kind !== 'number-spelling') ?? first.reasons[0])
  if (!first || !reason || isAnother(first, report)) return nothingLikeIt(report)
  const place = `${first.file} entry ${first.entry}`
  const paste = reason.rule
  switch (reason.kind) {
    case 'unanswered':
      return { say: `${place} was recorded without a reply: ${reason.recorded}. Record it again:`, paste }
    case 'binding':
      return { say: bindingSentence(reason, place), paste }
    case 'lane':
      return { say: `${place} was recorded in the lane ${reason.recorded}. Send the header:`, paste }
    case 'exhausted':
      return {
        say: `${place} has been served already, and was recorded ${reason.recorded}. Ask once, repeat it with its Idempotency-Key, or record the further one:`,
        paste,
      }
    case 'order':
    case 'profile':
      return {
        say: `${place} is out of order for the profile strict. Keep the recorded order, or use:`,
        paste,
      }
    default:
      return { say: differenceSentence(reason, first, place), paste }
  }
}

/** The closest one is of another operation, or of another path that the interface does not know either. */
function isAnother({ operation, reasons }: ClosestInteraction, { request }: MissReport): boolean {
  if (operation !== request.operation) return true
  return reasons.some(
    ({ kind, at }) =>
      at === 'path /0' || (at.startsWith('path ') && (kind === 'missing' || kind === 'extra')),
  )
}

function nothingLikeIt({ request, record }: MissReport): { say: string; paste: string } {
  // A page has a name, and is no operation.
  if (request.operation !== '(none)' && rowOf(request.operation) === undefined) {
    const say =
      'This page was not recorded: while recording, the browser has to open the url of the session as the recorder hands it out. Record it:'
    return { say, paste: record }
  }
  return { say: 'Nothing like it was recorded. Record it:', paste: record }
}

function bindingSentence({ at, recorded, live, rule }: MissReason, place: string): string {
  const what = placeWords(at)
  if (rule.startsWith('sandgate record'))
    return `${what} ${live} was never recorded: ${place} has ${recorded} there, which stands for another value of this run already. Record it (or, when two tests run at once, give each a lane of its own):`
  return `${place} belongs to another value than this client has used at ${what}; clients that differ in made-up values alone need lanes:`
}

function differenceSentence(reason: MissReason, first: ClosestInteraction, place: string): string {
  const told = first.reasons
    .filter(({ kind }) => kind !== 'number-spelling' || first.reasons.length === 1)
    .slice(0, 3)
    .map(({ at, recorded, live }) => `${placeWords(at)} ${recorded ?? '(nothing)'} → ${live ?? '(nothing)'}`)
  const differs = `${place} differs, recorded → sent: ${told.join('; ')}.`
  if (reason.rule.startsWith('--volatile'))
    return `${differs} Paste this when the test makes the value up in every run, else send what was recorded:`
  if (reason.rule.startsWith('sandgate record')) return `${differs} Send what was recorded, or record again:`
  return `${differs} Send it as recorded:`
}

/** Where something stands, in words: `body /amount`, `query amount`, `header x-tenant-id`, `the method`. */
export function placeWords(at: string): string {
  const { part, pointer } = readPlaceKey(at)
  const [name = '', repeat] = pointerSteps(pointer)
  const nth = repeat === undefined ? '' : ` (${Number(repeat) + 1})`
  switch (part) {
    case 'path':
      return `path segment ${Number(name) + 1}`
    case 'query':
      return `query ${name}${nth}`
    case 'request-header':
      return name === ':method' ? 'method' : `header ${name}`
    case 'request-body':
      return pointer === '' ? 'body' : `body ${pointer}`
    default:
      return at
  }
}
