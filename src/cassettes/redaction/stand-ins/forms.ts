import type { FieldShape } from './field-rules.ts'

/** +999 is a country code that nobody has been assigned; 12 digits are left for the number. */
const SPARE_CODE = 999
const SUBSCRIBER_DIGITS = 12
const DAY_MS = 86_400_000
/** Every stand-in is an adult, so that a sandbox that looks at ages decides as it did. */
const FIRST_BIRTH = Date.UTC(1950, 0, 1)
const BIRTHS = 18_000

/** The nth stand-in of a type, ending in `suffix`. It is a proposal: the caller checks it against field and rules. */
export function candidate(type: string, n: number, suffix: string, shape: FieldShape): string {
  const { standIn = type } = shape
  if (standIn === 'phone') return phone(n, suffix)
  if (standIn === 'email') return email(n, suffix)
  if (shape.date) return birth(n)
  const long = `${standIn}-${n}${suffix === '' ? '' : `-${suffix}`}`
  return long.length <= shape.maxLength ? long : `${n}${suffix}`
}

function phone(n: number, suffix: string): string {
  const width = Math.max(1, Math.min(8, SUBSCRIBER_DIGITS - suffix.length))
  const room = 10 ** width
  return `+${SPARE_CODE - Math.floor(n / room)}${String(n % room).padStart(width, '0')}${suffix}`
}

function email(n: number, suffix: string): string {
  if (suffix === '') return `person-${n}@redacted.example`
  if (suffix.startsWith('@')) return `person-${n}${suffix}`
  if (suffix.includes('@')) return `person-${n}-${suffix}`
  return suffix.includes('.') ? `person-${n}@x${suffix}` : `person-${n}@redacted.${suffix}`
}

function birth(n: number): string {
  const day = n < BIRTHS ? n : BIRTHS - n - 1
  return new Date(FIRST_BIRTH + day * DAY_MS).toISOString().slice(0, 10)
}

/**
 * The value with every letter and digit replaced, and everything else kept: spaces in a phone number, a missing plus
 * sign and a name that is too long stay what made the value wrong. `n` is written in the last positions.
 */
export function disguise(value: string, n: number): string {
  const characters = [...value]
  let rest = String(n)
  for (let i = characters.length - 1; i >= 0; i--) {
    const character = characters[i] ?? ''
    const digit = /\p{N}/u.test(character)
    if (!digit && !/\p{L}/u.test(character)) continue
    const next = Number(rest.slice(-1) || '0')
    characters[i] = digit ? String(next) : String.fromCharCode(0x61 + next)
    rest = rest.slice(0, -1)
  }
  return characters.join('') + rest
}
