/** A command that calls one tool and prints its answer, described as data: its flags, its input, its output. */
import type { Arguments, CliContext, Command, Display, Flag } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import type { Exit } from '../command/exit-codes.ts'
import { askHub } from './ask-hub.ts'

type CommonFlag = keyof typeof hubFlags | keyof typeof jsonFlag

export interface ToolCommand<FlagName extends string, Answer> extends Omit<
  Command<FlagName>,
  'flags' | 'run' | 'examples'
> {
  /** Further flags. Every such command has the flags of the hub and `--json`. */
  readonly flags?: Readonly<Record<FlagName, Flag>>
  readonly examples: readonly string[]
  readonly tool: string
  /** The tool's arguments. Those that are `undefined` are not sent. */
  input(args: Arguments<FlagName>, context: CliContext): ToolInput | Promise<ToolInput>
  /** The schema of the answer. */
  readonly answer: { parse(answer: unknown): Answer }
  print(answer: Answer, shown: Shown<FlagName>): string | Printed
  /** The exit code, for tools that can report a failure without an error. */
  exit?(answer: Answer): Exit
  /** How long to wait without progress. */
  readonly timeoutMs?: number
}

type ToolInput = Readonly<Record<string, unknown>>

export interface Shown<FlagName extends string> {
  readonly args: Arguments<FlagName>
  readonly display: Display | undefined
}

/** The lines of `err` go to stderr. */
export interface Printed {
  readonly out?: string
  readonly err?: readonly string[]
}

export function toolCommand<Answer, FlagName extends string = never>(
  entry: ToolCommand<FlagName, Answer>,
): Command<FlagName | CommonFlag> {
  const { flags, tool, input, answer: schema, print, exit, timeoutMs, ...rest } = entry
  return {
    ...rest,
    flags: { ...flags, ...hubFlags, ...jsonFlag } as Readonly<Record<FlagName | CommonFlag, Flag>>,
    async run(args, context) {
      const options = timeoutMs === undefined ? {} : { timeoutMs }
      const answer = schema.parse(await askHub(tool, await input(args, context), args, context, options))
      const printed = print(answer, { args, display: context.display() })
      const { out, err = [] } = typeof printed === 'string' ? { out: printed } : printed
      if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
      else {
        if (out !== undefined) context.out(out)
        for (const line of err) context.err(line)
      }
      return exit?.(answer) ?? 'ok'
    },
  }
}

export const oneWord = { min: 1, max: 1 } as const
