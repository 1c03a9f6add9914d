/** Chooses the program to run, from the template and the request. */
import { userInfo } from 'node:os'
import type { Template } from '../api/template.ts'
import { HubError } from '../base/hub-error.ts'

export interface CommandLine {
  readonly command: string
  /** `undefined`: `command` is a shell line, or empty for a login shell. */
  readonly args: readonly string[] | undefined
}

/** Whether this is the template's own command. Only there are `{words}` filled in: a person's command runs as typed. */
export function isOfTemplate({ command, args }: CommandLine, template: Template): boolean {
  return command === template.command && JSON.stringify(args) === JSON.stringify(template.args)
}

/** A custom command drops the template's arguments. Custom arguments replace them. */
export function chooseCommand(
  template: Template,
  asked: { readonly [Part in keyof CommandLine]?: CommandLine[Part] | undefined },
): CommandLine {
  if (asked.command?.startsWith('-')) {
    throw new HubError(
      'invalid',
      `"command": ${asked.command} is a flag, not a command. Put flags for an agent into "agent_args".`,
    )
  }
  if (asked.command !== undefined) return { command: asked.command, args: asked.args }
  return { command: template.command, args: asked.args ?? template.args }
}

export interface Launch {
  readonly file: string
  readonly args: readonly string[]
}

/** A command without arguments is a shell line; with arguments, a program. Without both, it is a login shell. */
export function toLaunch(line: CommandLine, prefix: readonly string[], env: Readonly<Record<string, string>>): Launch {
  const words = wordsOf(line, env['SHELL'] || shellOfAccount())
  const [file, ...args] = [...prefix, ...words]
  return { file: file!, args }
}

/** For a hub that a service manager started, without a SHELL in its environment. */
function shellOfAccount(): string {
  try {
    return userInfo().shell || '/bin/sh'
  } catch {
    return '/bin/sh' // this user id has no account, as in some containers
  }
}

function wordsOf({ command, args }: CommandLine, shell: string): readonly string[] {
  if (args) return [command || shell, ...args]
  return command === '' ? [shell, '-l'] : [shell, '-c', command]
}
