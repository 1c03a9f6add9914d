/** The files of a working tree, as git sees them: tracked, or untracked and not ignored. */
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { HubError } from '../../base/hub-error.ts'
import { type Folder, isReachedWithoutLinks } from '../../base/open-inside.ts'
import type { Git } from '../../base/careful-git.ts'
import { statAt } from '../../base/stat-at.ts'
import { maxFileBytes, readInside, readTextInside } from './read-file.ts'
import { unsettled } from './stamp.ts'
import type { TreeContent, TreeFile } from './tree.ts'
import type { UnreadParts } from './unread-parts.ts'

/** How deep repositories may be nested. */
const maxDepth = 8
/** Other messages get their turn after this many files. */
const filesPerTurn = 500
/** Clocks of file systems tick every few milliseconds. A file can change twice in one tick, with one time. */
const clockTickMs = 100

export interface WorkTree {
  readonly root: Folder
  /** How to list a folder that is not in a repository: with an empty one, so that the same rules for ignoring hold. */
  readonly gitDirectory: string | undefined
  readonly unread: UnreadParts
}

export async function* filesOfWorkTree(git: Git, { root, gitDirectory, unread }: WorkTree): AsyncGenerator<TreeFile> {
  const seen = new Set<string>()
  let sinceTurn = 0
  yield* filesBelow('', gitDirectory, 0)

  async function* filesBelow(prefix: string, listWith: string | undefined, depth: number): AsyncGenerator<TreeFile> {
    for (const listed of await listIn(prefix, listWith)) {
      const path = prefix + listed.replace(/\/$/, '')
      if (listed === '' || seen.has(path)) continue
      seen.add(path)
      if (++sinceTurn % filesPerTurn === 0) await setImmediate()
      const stat = statAt(join(root.path, path))
      if (stat?.isFile()) yield { path, bytes: Number(stat.size), stamp: stampOf(stat) }
      else if (stat?.isDirectory() && depth < maxDepth && isRepository(root, path)) {
        yield* filesBelow(`${path}/`, undefined, depth + 1)
      }
    }
  }

  async function listIn(prefix: string, listWith: string | undefined): Promise<readonly string[]> {
    const directory = join(root.path, prefix)
    try {
      if (prefix !== '') await assertTop(git, directory)
      return await list(git, directory, listWith)
    } catch (error) {
      unread.note(prefix, error)
      return []
    }
  }
}

export async function* readWorkTree(root: Folder, files: readonly TreeFile[]): AsyncGenerator<TreeContent> {
  for (const file of files) {
    if (file.bytes > maxFileBytes) {
      yield { file, stamp: file.stamp, content: { skipped: 'too-large' } }
      continue
    }
    const { content, stat } = readTextInside(root, file.path)
    yield { file, stamp: stat ? stampOf(stat) : file.stamp, content }
  }
}

/** In a folder whose ".git" is damaged, git would list the files of the repository around it. */
async function assertTop(git: Git, directory: string): Promise<void> {
  const prefix = await git(directory, 'rev-parse', '--show-prefix')
  if (prefix.trim() !== '') throw new HubError('invalid', 'Its ".git" is not a git repository.')
}

async function list(git: Git, directory: string, gitDirectory: string | undefined): Promise<readonly string[]> {
  const which = gitDirectory === undefined ? [] : [`--git-dir=${gitDirectory}`, '--work-tree=.']
  const wanted = ['-z', '--cached', '--others', '--exclude-standard']
  return (await git(directory, ...which, 'ls-files', ...wanted)).split('\0')
}

/** A submodule, or another clone. A second worktree of the same repository would only repeat its files. */
function isRepository(root: Folder, path: string): boolean {
  if (!isReachedWithoutLinks(root.path, path)) return false
  const stat = statAt(join(root.path, path, '.git'))
  if (!stat?.isFile()) return stat?.isDirectory() === true
  const pointer = readInside(root, join(path, '.git'), maxPointerBytes)?.bytes?.toString()
  return pointer !== undefined && !/^gitdir: .*\/worktrees\/[^/]+\s*$/.test(pointer)
}

/** The file `.git` of a submodule or worktree holds one path. */
const maxPointerBytes = 8 * 1024

function stampOf({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string {
  const stamp = `${mtimeNs} ${ctimeNs} ${size} ${ino}`
  const isSettled = Date.now() - Number(ctimeNs / 1_000_000n) > clockTickMs
  return isSettled ? stamp : unsettled(stamp)
}
