/** Commands and answers, to read and to copy. */
export const SNIPPET_LOOK = `
.snippet { overflow-x: auto; margin-bottom: 0; padding: 14px 16px; border-radius: 12px; background: var(--gate); color: var(--gate-ink); font: .8125rem/1.6 var(--mono) }
`
