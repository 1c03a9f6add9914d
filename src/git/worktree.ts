/** Makes worktrees, looks into them and removes them. A repository may be an agent's, so this runs in sandboxes. */
import { lstatSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Reach } from '../base/start-program.ts'
import type { ReachSpec, Sandboxes } from '../sandbox/sandbox.ts'
import type { Repository, WorkspaceGit } from './repository.ts'
import { gitOf, isGitDirectory } from './repository.ts'
import type { ScriptRunner } from './run-script.ts'
import { utf8 } from './run-script.ts'
import { addWorktree, checkOut, readGit, removeWorktree as removal } from './scripts.ts'

export interface NewWorktree {
  readonly isBranchNew: boolean
}

/** `path`: an empty directory. Its files come from HEAD, and no hook runs. */
export async function makeWorktree(
  { repository, path, branch }: { readonly repository: Repository; readonly path: string; readonly branch: string },
  run: ScriptRunner,
): Promise<NewWorktree> {
  const { shared, own } = repository
  const variables = { own, path, branch }
  const made = await run(addWorktree, { read: [], write: [shared, path], variables, alsoOpen: true })
  const [state, mine = ''] = utf8(made).split('\n')
  await run(checkOut, {
    read: [shared],
    write: [path],
    shown: settingsOfPerson(),
    alsoOpen: true,
    variables: { own: mine, path, HOME: homedir() },
  })
  return { isBranchNew: state === 'new' }
}

/** Removes a worktree with its files. Returns why its branch stays. */
export async function removeWorktree(
  {
    shared,
    path,
    branch = '',
  }: { readonly shared: string; readonly path: string; readonly branch?: string | undefined },
  run: ScriptRunner,
): Promise<string | undefined> {
  const spec = {
    read: [],
    write: [shared, realpathSync(dirname(path))],
    variables: { shared, path, branch },
    alsoOpen: true,
  }
  const why = utf8(await run(removal, spec)).trim()
  return why === '' ? undefined : why
}

/** Runs git without a chance to write. Returns its output. */
export type ReadingGit = (directory: string, ...args: readonly string[]) => Promise<string>

export function createReadingGit(run: ScriptRunner): ReadingGit {
  return async (directory, ...args) => {
    const variables = { directory, HOME: homedir() }
    const spec = { read: visibleFrom(directory), write: [], shown: settingsOfPerson(), variables, args }
    return utf8(await run(readGit, { ...spec, alsoOpen: true })).trimEnd()
  }
}

/** The repository around a directory, as git finds it. It may be a bare one. */
export function repositoryAround(directory: string): WorkspaceGit {
  const top = topOf(directory)
  if (top === undefined) return { is: 'none' }
  const found = gitOf(top)
  // git also prefers `.git` to a bare repository around it.
  return found.is === 'none' && isGitDirectory(top) ? { is: 'repository', shared: top, own: top } : found
}

/** The reach of a git that only reads, in this directory. `more`: paths outside of its repository. */
export async function reachOfReadingGit(
  sandboxes: Pick<Sandboxes, 'reach'>,
  directory: string,
  more: readonly string[] = [],
): Promise<Reach> {
  const read = [...visibleFrom(directory), ...more]
  return (await sandboxes.reach({ read, write: [], shown: settingsOfPerson() })) ?? 'person'
}

/** The working tree and the git directory that git in this directory needs. */
function visibleFrom(directory: string): readonly string[] {
  const top = topOf(directory) ?? directory
  const found = gitOf(top)
  return found.is === 'repository' ? [top, found.shared, found.own] : [top]
}

function topOf(directory: string): string | undefined {
  for (let here = realpathSync(directory); ; here = dirname(here)) {
    if (lstatSync(join(here, '.git'), { throwIfNoEntry: false }) && gitOf(here).is !== 'none') return here
    if (isGitDirectory(here)) return here
    if (here === dirname(here)) return undefined
  }
}

/** Ignored files, and filters such as that of git-lfs. */
function settingsOfPerson(): NonNullable<ReachSpec['shown']> {
  return ['.gitconfig', '.config/git'].flatMap((name) => {
    const at = join(homedir(), name)
    try {
      return [{ path: realpathSync(at), at }]
    } catch {
      return [] // the person has none
    }
  })
}
