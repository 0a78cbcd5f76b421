/** Where something that looks like a secret or a person stands in a text, and by which rule. */
export type PatternHit = {
  readonly start: number
  readonly end: number
  readonly rule: string
  /** What stands before it says what it is; by itself it looks like any other text. */
  readonly isNamed?: true
  /** A person's value and no secret. */
  readonly isPerson?: true
}
