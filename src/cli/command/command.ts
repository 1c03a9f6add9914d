/** The shape of a command. `commands.ts` lists all commands. */
import type { RunningHub } from '../../api/running-hub.ts'
import type { Environment, LoadedConfig } from '../../config/config.ts'
import type { Exit } from './exit-codes.ts'

export interface Command<FlagName extends string = string> {
  /** The arguments after its name: `<tool> [json]`. */
  readonly takes?: string
  /** One paragraph or a few. */
  readonly about: string
  readonly flags: Readonly<Record<FlagName, Flag>>
  /** How many words may follow the name. */
  readonly words?: { readonly min: number; readonly max: number }
  /** An optional word that changes nothing: `ls` in `connectors ls`. */
  readonly onlyWord?: string
  /** The words after `--` are a command line of their own. They go into `rest`, not into `words`. */
  readonly takesRest?: boolean
  readonly examples: readonly string[]
  run(args: Arguments<FlagName>, context: CliContext): Promise<Exit>
}

/** A line of the list of commands. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}

export interface Flag {
  /** The name of its value in the help. A flag without it is a switch. */
  readonly takes?: string
  readonly about: string
  /** One letter: `n` for `-n`. */
  readonly short?: string
}

export interface Arguments<FlagName extends string = string> {
  readonly words: readonly string[]
  readonly rest: readonly string[]
  /** The last value, if the flag is given several times. */
  text(flag: FlagName): string | undefined
  /** All values of a repeatable flag. */
  texts(flag: FlagName): readonly string[]
  has(flag: FlagName): boolean
}

/** All effects that a command can have on its process. */
export interface CliContext {
  /** A function, because reading it loads the whole configuration, which help does not need. */
  readEnvironment(): Promise<Environment>
  /** Writes one line of the answer to stdout. Escapes control characters. */
  out(line: string): void
  /** Writes bytes to stdout unchanged, even foreign ones. Resolves when they are written, and rejects if they cannot be. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Writes one line to stderr, for everything but the answer. Escapes control characters. */
  err(line: string): void
  /** The terminal of stdout. `undefined` if stdout is not a terminal. */
  display(): Display | undefined
  /** Refuses input that is not UTF-8, unless the command wants the wrong bytes replaced. */
  readStdin(options?: { readonly replacesWrongBytes: boolean }): Promise<string>
  /** Passed in, because the CLI must not import the hub, which is above it. */
  startHub(loaded: LoadedConfig): Promise<RunningHub>
}

export interface Display {
  readonly columns: number
  readonly rows: number
  readonly hasColours: boolean
}

/** Infers the names of the flags, so that reading an unknown flag is a type error. */
export function defineCommand<FlagName extends string>(command: Command<FlagName>): Command<FlagName> {
  return command
}
