/** `contract`: order chooses among equal candidates. `strict`: order also rejects. */
export type MatchProfile = 'contract' | 'strict'
