/** Whether a template can be used here: its programs are on the path, its files are there. Nothing is run. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Template } from '../api/template.ts'
import { includesOf } from './include-files.ts'

/** What is missing and how to come by it; `undefined` if nothing is. */
export function whyNotAvailable(
  template: Template,
  { searchPath, assetDirectories }: { searchPath: string; assetDirectories: readonly string[] },
): string | undefined {
  // Where the session itself will look.
  const places = template.env['PATH'] ?? searchPath
  const missing = programsOf(template).find((program) => !isProgram(program, places))
  if (missing !== undefined) {
    const cure = template.install === undefined ? '' : ` To install it: ${template.install}`
    return `"${missing}" is not installed, or not on the PATH of the hub.${cure}`
  }
  const [absent] = missingFiles(template, assetDirectories)
  return absent && `Its file "${absent}" is missing: put it into ${assetDirectories[0]}.`
}

/** What the template includes, but none of its folders has. */
export function missingFiles(template: Template, assetDirectories: readonly string[]): readonly string[] {
  return includesOf(template)
    .map(({ source }) => source)
    .filter((source) => !assetDirectories.some((place) => existsSync(join(place, source))))
}

function programsOf({ requires, command, args, prefix, backend }: Template): readonly string[] {
  const own = requires ?? (args === undefined ? firstProgram(command) : command)
  return [backend === 'tmux' ? 'tmux' : undefined, prefix[0], own].filter((program) => program !== undefined)
}

/** The first word of a shell line, if it surely is a program: what else it can be, only a shell knows. */
function firstProgram(line: string): string | undefined {
  const word = /^\s*(?:[A-Za-z_]\w*=[^\s"'$`\\]*\s+)*([\w./+-]+)(?=\s|$)/.exec(line)?.[1]
  return word === undefined || shellWords.has(word) ? undefined : word
}

const shellWords = new Set(
  (
    '. : alias bg bind break builtin case cd command continue declare do echo eval exec exit export false fc fg for function ' +
    'getopts hash history if jobs kill let local printf pwd read readonly return select set shift shopt source test time ' +
    'times trap true type typeset ulimit umask unalias unset until wait while'
  ).split(' '),
)

function isProgram(program: string, searchPath: string): boolean {
  if (program === '') return true
  if (program.startsWith('/')) return isExecutable(program)
  // Beside the workspace, which is not known yet.
  if (program.includes('/')) return true
  return searchPath.split(delimiter).some((place) => place.startsWith('/') && isExecutable(join(place, program)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
