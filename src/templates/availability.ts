/** Checks whether a template can be used here: the hub has its driver, its programs are on the PATH, its files exist. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Template } from '../api/template.ts'
import { onPath } from '../base/find-program.ts'
import { includesOf } from './include-files.ts'

export interface Place {
  readonly drivers: readonly string[]
  /** Why a driver cannot start a session with this template. */
  readonly whyNotDriver?: ((template: Template) => string | undefined) | undefined
  readonly searchPath: string
  readonly assetDirectories: readonly string[]
}

/** The missing part and how to get it; `undefined` if nothing is missing. */
export function whyNotAvailable(
  template: Template,
  { drivers, whyNotDriver, searchPath, assetDirectories }: Place,
): string | undefined {
  const whyNoDriver = whyUnknownDriver(template, drivers) ?? whyNotDriver?.(template)
  if (whyNoDriver !== undefined) return whyNoDriver
  // The PATH that the session itself will use.
  const places = template.env['PATH'] ?? searchPath
  const missing = programsOf(template).find((program) => !isProgram(program, places))
  if (missing !== undefined) {
    const cure = template.install === undefined ? '' : ` To install it: ${template.install}`
    return `"${missing}" is not installed, or not on the PATH of the hub.${cure}`
  }
  const [absent] = missingFiles(template, assetDirectories)
  return absent && `Its file "${absent}" is missing. Put it into ${assetDirectories[0]}.`
}

export function whyUnknownDriver({ driver }: Template, drivers: readonly string[]): string | undefined {
  return drivers.includes(driver) ? undefined : `There is no driver "${driver}". This hub has: ${drivers.join(', ')}.`
}

/** The files that the template includes but none of its folders has. */
export function missingFiles(template: Template, assetDirectories: readonly string[]): readonly string[] {
  return includesOf(template)
    .map(({ source }) => source)
    .filter((source) => !assetDirectories.some((place) => existsSync(join(place, source))))
}

/** The programs of a session that are installed. One with a relative path is in the workspace. */
export function filesOf(template: Template, searchPath: string): readonly string[] {
  const found = programsOf(template).map((name) => (name.includes('/') ? name : onPath(name, searchPath)))
  return found.filter((file) => file !== undefined && isAbsolute(file)) as string[]
}

function programsOf({ requires, command, args, prefix, backend }: Template): readonly string[] {
  const own = requires ?? (args === undefined ? firstProgram(command) : command)
  return [backend === 'tmux' ? 'tmux' : undefined, prefix[0], own].filter((program) => program !== undefined)
}

/** The first word of a shell command line if it is certainly a program. Only a shell can tell for other lines. */
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
  // Relative to the workspace, which is not known yet.
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
