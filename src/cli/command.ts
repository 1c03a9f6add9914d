/** What a command is. Each stands in a file of its own; `commands.ts` lists them. */
import type { Environment, LoadedConfig } from '../config/config.ts'
import type { Exit } from './exit-codes.ts'

export interface Command<FlagName extends string = string> {
  /** What follows its name: `<tool> [json]`. */
  readonly takes?: string
  /** One paragraph, or a few. */
  readonly about: string
  readonly flags: Readonly<Record<FlagName, Flag>>
  /** How many words may follow the name. */
  readonly words?: { readonly min: number; readonly max: number }
  /** What stands behind `--` is a command line of its own: not words of this one, but `rest`. */
  readonly takesRest?: boolean
  readonly examples: readonly string[]
  run(args: Arguments<FlagName>, context: CliContext): Promise<Exit>
}

export interface Flag {
  /** What its value is called in the help. A flag that takes nothing is a switch. */
  readonly takes?: string
  readonly about: string
  /** One letter: `n` for `-n`. */
  readonly short?: string
}

export interface Arguments<FlagName extends string = string> {
  readonly words: readonly string[]
  readonly rest: readonly string[]
  /** Of a flag that is given twice, the last one counts. */
  text(flag: FlagName): string | undefined
  /** Every value of a flag that may be given again and again. */
  texts(flag: FlagName): readonly string[]
  has(flag: FlagName): boolean
}

/** What a command may touch of the world. */
export interface CliContext {
  /** Asked for, not given: reading it loads the whole configuration, which help does not need. */
  readEnvironment(): Promise<Environment>
  /** One line to stdout: the answer. */
  out(line: string): void
  /** Bytes to stdout as they are; resolves when they are written, and rejects where they cannot be. */
  write(bytes: string | Uint8Array): Promise<void>
  /** One line to stderr: everything else. */
  err(line: string): void
  /** What stdout is shown on. `undefined` where that is no terminal. */
  display(): Display | undefined
  readStdin(): Promise<string>
  /** Supplied from above, since the hub is made of everything and the CLI is a part of it. */
  startHub(loaded: LoadedConfig): Promise<RunningHub>
}

export interface Display {
  readonly columns: number
  readonly rows: number
  readonly hasColours: boolean
}

export interface RunningHub {
  readonly url: string
  /** The page, with the token in the fragment, where no server and no log sees it. */
  readonly loginUrl?: string
  stop(): Promise<void>
  /** Resolves when the hub has stopped, for whatever reason. */
  readonly stopped: Promise<void>
}

/** Infers the names of the flags, so that asking for one that does not exist is a type error. */
export function defineCommand<FlagName extends string>(command: Command<FlagName>): Command<FlagName> {
  return command
}
