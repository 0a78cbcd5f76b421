import { LockHeld } from '../file-lock.ts'
import { systemCode } from '../system-error.ts'

/** How a backup or a restore ended. A message is a whole clause, without a full stop. */
export type Outcome<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly message: string }

/** It cannot be done; the message says why and what to do. */
export class Refused extends Error {}

/** What went wrong, for who runs the command. */
export function outcomeOf(cause: unknown, where: string): { readonly ok: false; readonly message: string } {
  if (cause instanceof Refused) return { ok: false, message: cause.message }
  if (cause instanceof LockHeld) return { ok: false, message: `${cause.holder} is at work in ${where}` }
  const message = cause instanceof Error ? cause.message : String(cause)
  return {
    ok: false,
    message: `${where} cannot be written: ${systemCode(cause) === 'ENOSPC' ? 'its disk is full' : message}`,
  }
}

/** Bytes for people. */
export function sizeText(bytes: number): string {
  const [unit, size] = bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9]
  return `${(bytes / Number(size)).toFixed(bytes < 1e6 ? 0 : 1)} ${unit}`
}
