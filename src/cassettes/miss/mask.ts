import type { FormField } from '../message/form-fields.ts'
import { fieldRule } from '../redaction/contract.ts'

const LONGEST = 80

/** A value as a report may show it: personal ones and secrets by their kind and length alone. */
export function shown(names: readonly string[], value: string, quoted = true): string {
  const rule = fieldRule(names)
  if (rule?.kind === 'secret') return '(secret)'
  if (rule) return masked(rule.type, value)
  const text = value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value
  return quoted ? JSON.stringify(text) : text
}

export function masked(type: string, value: string): string {
  return `(${type}, ${[...value].length} characters)`
}

export function shownFields(fields: readonly FormField[]): string {
  return fields.map(({ name, value }) => `${name}=${shown([name], value, false)}`).join('&')
}

export function shownPath(segments: readonly string[]): string {
  return `/${segments.join('/')}`
}
