/**
 * The commit that the work of a session started from: the last one before the session began. If the agent has since
 * merged newer commits of the main branch, it is the newest of these, because they are not the agent's work.
 */
import type { Git } from '../base/careful-git.ts'
import { messageOf } from '../base/hub-error.ts'

export interface Repository {
  /** `undefined`: a commit is checked out, and no branch. */
  readonly branch: string | undefined
  /** `undefined`: there was no commit before the session. */
  readonly base: string | undefined
  /** The file in which git keeps what it knows about the files of the working tree. */
  readonly indexFile: string
}

/** `undefined`: the folder is not in a working tree of git. */
export async function openRepository(git: Git, folder: string, since: string): Promise<Repository | undefined> {
  const wanted = ['--path-format=absolute', '--is-inside-work-tree', '--git-path', 'index']
  const answer = await git(folder, 'rev-parse', ...wanted).catch(ignoreMissing)
  const [isInside, indexFile] = answer?.split('\n') ?? []
  if (isInside !== 'true' || indexFile === undefined) return undefined
  const branch = await read(git, folder, 'symbolic-ref', '--quiet', '--short', 'HEAD')
  return { branch, base: await branchPoint(git, folder, branch, since), indexFile }
}

const mainNames = ['main', 'master']

async function branchPoint(
  git: Git,
  folder: string,
  branch: string | undefined,
  since: string,
): Promise<string | undefined> {
  const head = await read(git, folder, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}')
  if (head === undefined) return undefined
  const seconds = Math.floor(Date.parse(since) / 1000)
  let base = await read(git, folder, 'rev-list', '-1', '--first-parent', `--min-age=${seconds}`, head)
  if (base === undefined || base === head || mainNames.includes(branch ?? '')) return base
  const patterns = [
    'refs/remotes/origin/HEAD',
    ...mainNames.flatMap((name) => [`refs/remotes/origin/${name}`, `refs/heads/${name}`]),
  ]
  const mains = await git(folder, 'for-each-ref', '--format=%(objectname)', ...patterns)
  for (const main of new Set(mains.split('\n').filter((line) => line !== ''))) {
    const shared = await read(git, folder, 'merge-base', head, main)
    if (shared !== undefined && shared !== base && (await isAncestor(git, folder, base, shared))) base = shared
  }
  return base
}

async function isAncestor(git: Git, folder: string, older: string, newer: string): Promise<boolean> {
  return git(folder, 'merge-base', '--is-ancestor', older, newer).then(
    () => true,
    () => false,
  )
}

/** `undefined`: git finds nothing. */
async function read(git: Git, folder: string, ...args: readonly string[]): Promise<string | undefined> {
  const answer = await git(folder, ...args).catch(() => '')
  return answer.trim() === '' ? undefined : answer.trim()
}

function ignoreMissing(error: unknown): undefined {
  if (!messageOf(error).includes('not a git repository')) throw error
  return undefined
}
