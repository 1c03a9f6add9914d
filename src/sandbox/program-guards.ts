/**
 * The hub and the person start programs outside sandboxes: those of the PATH and those of the templates. So their
 * directories are read-only in a sandbox, also inside a directory that it may write.
 */
import { lstatSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, relative } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { packageDirectory } from './installed.ts'
import type { Mount } from './mounts.ts'
import { arrange, isAtOrInside, isInside } from './mounts.ts'
import type { Walk } from './trusted-path.ts'
import { walk } from './trusted-path.ts'

export interface StartedPrograms {
  /** The PATH of the hub. */
  readonly searchPath: string
  /** The programs of all templates. */
  readonly files: readonly string[]
}

/** Directories without links in their paths. */
export interface Guarded {
  readonly ofPath: readonly string[]
  readonly ofPrograms: readonly string[]
  /** With all that the programs load. */
  readonly packages: readonly string[]
}

/** `own`: the Node and the package of the hub. */
export function guardedDirectories(
  { searchPath, files }: StartedPrograms,
  own: { readonly node: string; readonly package: string },
): Guarded {
  const walked = [...files, own.node].map(walk)
  const packages = [...walked.map(({ end }) => end), own.package].flatMap((path) => packageDirectory(path) ?? [])
  const directories = searchPath.split(delimiter).filter(isAbsolute).map(walk)
  const around = ({ links }: Walk) => links.map((link) => dirname(link))
  return {
    ofPath: [...directories.flatMap(around), ...directories.map(({ end }) => end)],
    ofPrograms: [...walked.flatMap(around), ...walked.map(({ end }) => dirname(end)), ...packages, own.package],
    packages,
  }
}

/**
 * Mounts over those of a sandbox. The directories around a guarded one are mounted too, because a mount cannot be renamed.
 * Throws if the sandbox would be of no use then.
 */
export function programGuards(
  mounts: readonly Mount[],
  guarded: Guarded,
  workspace: string | undefined,
): readonly Mount[] {
  const arranged = arrange(mounts)
  return arranged.flatMap((mount): readonly Mount[] => {
    if (mount.is !== 'write') return []
    const { source } = mount
    // A project has programs of its own. The hub does not look for programs there.
    const isOfWorkspace = workspace !== undefined && isAtOrInside(source, workspace)
    const directories = isOfWorkspace
      ? guarded.ofPath.filter((each) => !each.endsWith('/node_modules/.bin'))
      : [...guarded.ofPath, ...guarded.ofPrograms]
    const holds = directories.find((each) => each === source)
    const within = isOfWorkspace ? undefined : guarded.packages.find((each) => isInside(source, each))
    if (holds !== undefined || within !== undefined) throw mayReplace(mount.path, isOfWorkspace)
    return outermost(directories.filter((each) => isInside(each, source))).flatMap((directory) =>
      isShownBy(mount, directory, arranged) ? guard(mount, directory) : [],
    )
  })
}

interface Place {
  readonly path: string
  readonly source: string
}

function guard({ path, source }: Place, directory: string): readonly Mount[] {
  const names = relative(source, directory).split('/')
  const places = names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`)
  const missing = places.findIndex((each) => lstatSync(`${source}${each}`, { throwIfNoEntry: false }) === undefined)
  const last = missing === -1 ? places.length - 1 : missing
  return places.slice(0, last + 1).map((place, index): Mount => {
    const own = { path: `${path}${place}`, source: `${source}${place}` }
    if (index < last) return { is: 'write', ...own }
    // The agent must not create a missing one either.
    return missing === -1 ? { is: 'read', ...own } : { is: 'empty', path: own.path }
  })
}

/** False if another mount covers it. */
function isShownBy({ path, source }: Place, directory: string, all: readonly Mount[]): boolean {
  const own = `${path}${directory.slice(source.length)}`
  return !all.some((each) => isInside(each.path, path) && isAtOrInside(own, each.path))
}

function outermost(directories: readonly string[]): readonly string[] {
  return [...new Set(directories)].filter((each) => !directories.some((other) => isInside(each, other)))
}

function mayReplace(path: string, isWorkspace: boolean): HubError {
  const what = isWorkspace ? `the workspace ${path}` : path
  return new HubError(
    'invalid',
    `"sandbox": ${what} holds programs that are started outside a sandbox: it is on the PATH of the hub, or has the program of a template. The agent could replace them. Choose another directory, or "sandbox": "off".`,
  )
}
