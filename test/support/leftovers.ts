/** What the tests of a file have started and made, and what has to end with them. */
export const running = new Set<{ readonly kill: () => Promise<unknown> }>()
export const directories = new Set<string>()
