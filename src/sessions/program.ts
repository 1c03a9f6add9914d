/** From a template and what was asked for to the program that is run. */
import { accessSync, constants, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Template } from '../api/template.ts'
import { HubError } from '../base/hub-error.ts'

export interface CommandLine {
  readonly command: string
  /** `undefined`: `command` is a shell line, or empty for a login shell. */
  readonly args: readonly string[] | undefined
}

/** It is the template's own, so that words in it are filled in: what somebody typed is meant as it stands. */
export function isOfTemplate({ command, args }: CommandLine, template: Template): boolean {
  return command === template.command && JSON.stringify(args) === JSON.stringify(template.args)
}

/** A command of one's own drops the template's arguments; arguments of one's own replace them. */
export function chooseCommand(
  template: Template,
  asked: { readonly [Part in keyof CommandLine]?: CommandLine[Part] | undefined },
): CommandLine {
  if (asked.command !== undefined) return { command: asked.command, args: asked.args }
  return { command: template.command, args: asked.args ?? template.args }
}

export interface Launch {
  readonly file: string
  readonly args: readonly string[]
}

/** Without arguments a line for the shell, with them a program; no command is the shell itself, without both for login. */
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

/** A path stays as it is; a name is looked for as a shell would. Throws where there is no such program. */
export function findProgram(file: string, path: string, cwd: string): string {
  if (file.includes('/')) {
    const absolute = isAbsolute(file) ? file : join(cwd, file)
    if (isProgram(absolute)) return absolute
    throw new HubError('invalid', `"command": there is no program at ${absolute}.`)
  }
  for (const directory of path.split(delimiter)) {
    const candidate = join(directory || '.', file)
    if (isProgram(candidate)) return candidate
  }
  throw new HubError(
    'invalid',
    `"command": the program "${file}" is not installed, or not on the hub's PATH. Install it, or give its whole path.`,
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
