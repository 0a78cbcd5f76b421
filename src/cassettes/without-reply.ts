/** An exchange that was kept without a reply, as it is named at the end of a recording. */
export type WithoutReply = {
  /** Its sequence in the cassette. */
  readonly entry: number
  /** Method and target, redacted. */
  readonly request: string
  readonly reason: string
  /** The cassette lacks what the sandbox has said. */
  readonly isFault: boolean
}
