/**
 * Finds the files that differ from the branch point. git only lists names and objects here: where it compares contents
 * itself, it runs the filters that the repository configures, and an agent can configure them.
 */
import { createHash } from 'node:crypto'
import { readlinkSync, realpathSync, statSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ChangeStatus } from '../api/changes.ts'
import type { Git } from '../base/careful-git.ts'
import type { Folder } from '../base/open-inside.ts'
import type { Repository } from './branch-point.ts'
import { type ReadInside, readInside } from '../base/read-inside.ts'
import { statAt } from '../base/stat-at.ts'

/** A file in the tree of the branch point. */
export interface BaseFile {
  readonly mode: string
  readonly object: string
  readonly bytes: number
}

export interface ChangedFile {
  readonly path: string
  readonly status: ChangeStatus
  /** `undefined`: it is new. */
  readonly base: BaseFile | undefined
  /** Its state in the working tree now. */
  readonly now: Now
}

export type Now =
  | { readonly is: 'missing' }
  /** It is not held: an agent decides how many files there are. */
  | { readonly is: 'content'; readonly size: number }
  | { readonly is: 'too-large' | 'repository' | 'unreadable' }

/** Larger files are compared by their size only. */
const mostBytes = 16 * 1024 * 1024
/** Other work of the hub gets its turn after this many files. */
const filesPerTurn = 500
/** Or after so many bytes. */
const bytesPerTurn = 4 * 1024 * 1024

export async function findChangedFiles(
  git: Git,
  root: Folder,
  repository: Repository,
): Promise<readonly ChangedFile[]> {
  const [base, index, untracked] = await Promise.all([
    readBase(git, root.path, repository.base),
    readIndex(git, root.path),
    listUntracked(git, root.path),
  ])
  const indexedAt = statSync(repository.indexFile, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n
  const changed: ChangedFile[] = []
  let seen = 0
  let read = 0
  for (const path of new Set([...base.keys(), ...index.keys(), ...untracked])) {
    if (!staysInside(path)) continue
    if (++seen % filesPerTurn === 0 || read > bytesPerTurn) {
      await setImmediate()
      read = 0
    }
    const before = base.get(path)
    const stat = statAt(join(root.path, path))
    const known = index.get(path)
    if (before && known && isUntouched(before, known, stat, indexedAt)) continue
    const now = lookAt(root, path, stat)
    if (now.is === 'missing' && !before) continue
    if (before && maybeSame(before, now, stat)) {
      read += before.bytes
      if (now.is === 'repository' || isContent(before, readContent(root, path, mostBytes))) continue
    }
    const status = now.is === 'missing' ? 'deleted' : before ? 'modified' : known ? 'added' : 'untracked'
    changed.push({ path, status, base: before, now })
  }
  return changed.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** The objects of git can hold any name, also one that leads out of the workspace or into git's own files. */
function staysInside(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git')
}

async function readBase(git: Git, folder: string, commit: string | undefined): Promise<Map<string, BaseFile>> {
  const files = new Map<string, BaseFile>()
  if (commit === undefined) return files
  for (const line of (await git(folder, 'ls-tree', '-r', '-z', '-l', commit)).split('\0')) {
    const [, mode, object, size, path] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(line) ?? []
    if (mode !== undefined && object !== undefined && path !== undefined)
      files.set(path, { mode, object, bytes: Number(size) || 0 })
  }
  return files
}

interface IndexedFile {
  readonly mode: string
  readonly object: string
  /** The times and the size of the file when git last saw it with this content. */
  readonly stamp: string
  readonly changedNs: bigint
}

async function readIndex(git: Git, folder: string): Promise<Map<string, IndexedFile>> {
  const files = new Map<string, IndexedFile>()
  const entry =
    /(\d{6}) ([0-9a-f]+) (\d)\t([^\0]+)\0 {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n[^\n]*\n[^\n]*\n {2}size: (\d+)\t[^\n]*\n/g
  for (const match of (await git(folder, 'ls-files', '-s', '-z', '--debug')).matchAll(entry)) {
    const [, mode = '', object = '', stage, path = '', ctime, ctimeNs, mtime, mtimeNs, size] = match
    const changedNs = nanoseconds(mtime!, mtimeNs!)
    // A file with a conflict has several entries, and none of them is what the working tree has.
    const stamp = stage === '0' ? `${changedNs} ${nanoseconds(ctime!, ctimeNs!)} ${size}` : ''
    files.set(path, { mode, object, stamp, changedNs })
  }
  return files
}

function nanoseconds(seconds: string, rest: string): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(rest)
}

async function listUntracked(git: Git, folder: string): Promise<readonly string[]> {
  const listed = await git(folder, 'ls-files', '-z', '--others', '--exclude-standard')
  // A repository inside the repository is listed as a folder.
  return listed.split('\0').flatMap((path) => (path === '' ? [] : [path.replace(/\/$/, '')]))
}

/** Git saw the file with this content, and it has not been touched since. A program cannot set the ctime of a file. */
function isUntouched(before: BaseFile, known: IndexedFile, stat: BigIntStats | undefined, indexedAt: bigint): boolean {
  if (before.object !== known.object || before.mode !== known.mode) return false
  if (before.mode === '160000') return true
  // A file that changed after git wrote the index, in the same moment, may have the same stamp.
  if (!stat || known.changedNs >= indexedAt) return false
  return known.stamp === `${stat.mtimeNs} ${stat.ctimeNs} ${BigInt.asUintN(32, stat.size)}`
}

/** Reads no content. */
function lookAt(root: Folder, path: string, stat: BigIntStats | undefined): Now {
  if (!stat) return { is: 'missing' }
  if (stat.isDirectory()) return { is: 'repository' }
  const found = stat.isSymbolicLink() ? readLink(root, path) : readInside(root, path, 0)
  switch (found.is) {
    case 'content':
      return { is: 'content', size: found.bytes.length }
    case 'too-large':
      return found.size > mostBytes ? { is: 'too-large' } : { is: 'content', size: found.size }
    case 'elsewhere':
      // A folder on the way is a link now, so the file of that name is not in the workspace.
      return { is: 'missing' }
    case 'unreadable':
      return found
  }
}

/** The content of a file, or the target of a link. `undefined`: it cannot be read any more, or it is larger. */
export function readContent(root: Folder, path: string, most: number): Buffer | undefined {
  const isLink = statAt(join(root.path, path))?.isSymbolicLink()
  const found = isLink ? readLink(root, path) : readInside(root, path, most)
  return found.is === 'content' ? found.bytes : undefined
}

function readLink(root: Folder, path: string): ReadInside {
  const link = join(root.path, path)
  const isHere = realpathSync(dirname(link)) === dirname(link)
  return isHere ? { is: 'content', bytes: Buffer.from(readlinkSync(link)) } : { is: 'elsewhere' }
}

function maybeSame(before: BaseFile, now: Now, stat: BigIntStats | undefined): boolean {
  if (now.is === 'repository') return before.mode === '160000'
  return now.is === 'content' && before.bytes === now.size && before.mode === modeOf(stat!)
}

function isContent(before: BaseFile, bytes: Buffer | undefined): boolean {
  if (!bytes) return false
  const hash = createHash(before.object.length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === before.object
}

function modeOf(stat: BigIntStats): string {
  if (stat.isSymbolicLink()) return '120000'
  return (stat.mode & 0o100n) === 0n ? '100644' : '100755'
}
