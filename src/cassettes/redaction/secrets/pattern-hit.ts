/** Where something that looks like a secret stands in a text, and by which rule. */
export type PatternHit = { readonly start: number; readonly end: number; readonly rule: string }
