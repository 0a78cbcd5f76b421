import type { Exit } from './exit-codes.ts'

/** Where a command reads and writes, so that a test can stand in for the terminal. */
export type Io = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
}

export type Option = {
  /** What its value is called in the help; a switch has none. */
  readonly value?: string
  /** What may be given instead of `--name`: `i` for `-i`. */
  readonly short?: string
  /** All values that it takes, where there are few. */
  readonly values?: readonly string[]
  /** Given again, it adds to a list, or a line; of any other the last one counts. */
  readonly adds?: true | 'line'
  readonly summary: string
  /** The setting that it overrides; the configuration's schema says which values are good. */
  readonly setting?: readonly string[]
  /** What else it sets, as if that had been given as well. */
  readonly implies?: readonly { readonly path: readonly string[]; readonly value: string }[]
}

export type Options = Readonly<Record<string, Option>>

export type Invocation = {
  readonly command: Command
  /** The text of each option that was given, true for a switch. */
  readonly options: Readonly<Record<string, string | true>>
  readonly args: readonly string[]
  /** Every command there is, for the one that completes them. */
  readonly commands: readonly Command[]
  /** The command after `--`, of a command that runs one; empty without. */
  readonly child: readonly string[]
}

/** How a command ended: by name, or with the exit code of the command that it ran. */
export type Ending = Exit | number

export type Run = (invocation: Invocation, io: Io) => Promise<Ending>

/** Help on what the arguments of a command name; undefined where the help of the command itself will do. */
export type HelpOn = (args: readonly string[], io: Io) => Ending | undefined

export type Command = {
  /** One word, or two: `config check`. */
  readonly name: string
  readonly summary: string
  /** What may follow the options, such as `[FILE]`; all of it is optional. The last one may repeat: `FILE...`. */
  readonly args?: readonly string[]
  /** All values of the first argument, where there are few. */
  readonly argValues?: readonly string[]
  /** It runs the command that follows `--`. */
  readonly runsChild?: boolean
  readonly options: Options
  /** What its first argument names has a help of its own. */
  readonly hasHelpOn?: true
  readonly example: string
  /** Its code is loaded when it runs: --help and --version wait for nothing. */
  readonly load: () => Promise<{ readonly run: Run; readonly helpOn?: HelpOn }>
}
