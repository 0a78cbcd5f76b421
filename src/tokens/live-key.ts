/**
 * Whether a credential begins as the live keys of payment services do. There is none here; whoever sends one has mixed
 * up two files, and should hear that it has left its place.
 */
export function looksLive(credential: string): boolean {
  return credential.startsWith('sk_live_')
}

/** What is said of one. It follows from what was sent alone, so it tells nobody anything about our keys. */
export const LIVE_KEY =
  'What was sent looks like the live key of somebody. This is a sandbox, which takes sandbox keys alone: regard the live key as known to others, and replace it.'
