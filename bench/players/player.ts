import type { Recording } from '../recorded.ts'

/** A program that answers from a recording in its own format. */
export type Player = {
  readonly name: string
  /** `own`: judges the token, which it has to have given. `bare`: what the others are compared with. */
  readonly role: 'own' | 'bare' | 'peer'
  /** Why it cannot be measured on this machine. */
  readonly missing?: () => string | undefined
  /** Writes the recording into the directory. The command then serves it on a port of the loopback. */
  readonly prepare: (recording: Recording, directory: string) => (port: number) => readonly string[]
}
