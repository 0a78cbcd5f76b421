import { instant } from '../clock.ts'
import { isErrorCode } from '../errors/catalogue.ts'
import { errorWords } from '../errors/catalogue-fr.ts'
import { LANGUAGES, type Language } from '../http/language.ts'
import { judge } from '../simulator/rules.ts'
import type { Call, Fields, Simulation } from './operation.ts'

/** The fields that every decision carries, and the rule that made it. */
export type DecisionFields = {
  readonly fields: { outcome: string; code: string | null; resolution?: string; decidedAt: string }
  readonly rule: string
  readonly approved: boolean
}

/** Decides a call by what it asked for, the rules, or the default; `fields` is what the rules look at. */
export function decide(call: Call, { rules }: Simulation, fields: Fields): DecisionFields {
  const names = call.operation.outcomes
  if (!names) throw new TypeError(`${call.operation.id} makes no decisions`)
  const { outcome, rule } = judge(rules, names, call.operation.id, fields, call.requestedOutcome)
  const decidedAt = instant(call.now)
  if (outcome === names.good) return { fields: { outcome, code: null, decidedAt }, rule, approved: true }
  const { resolution } = errorWords(names.code, call.language)
  return { fields: { outcome, code: names.code, resolution, decidedAt }, rule, approved: false }
}

/** A decision that was made for another reader, with its resolution in the language of this one, where it is ours. */
export function inLanguage(decision: Fields, language: Language): Fields {
  const { code, resolution } = decision
  if (typeof code !== 'string' || !isErrorCode(code)) return decision
  const isOurs = LANGUAGES.some((each) => errorWords(code, each).resolution === resolution)
  return isOurs ? { ...decision, resolution: errorWords(code, language).resolution } : decision
}
