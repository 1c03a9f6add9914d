/** The changes of a workspace since the branch point, as unified diffs within limits. */
import { setImmediate } from 'node:timers/promises'
import type { Changes, FileChange, Omission } from '../api/changes.ts'
import type { Git } from '../base/careful-git.ts'
import { HubError } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import { unifiedDiff } from '../base/unified-diff.ts'
import { readBlobs } from './blobs.ts'
import { openRepository } from './branch-point.ts'
import { type ChangedFile, findChangedFiles, readContent } from './changed-files.ts'
import { suggestMessage } from './commit-message.ts'
import type { Workspace } from './workspace.ts'

const mostFiles = 500
/** A longer file is not compared. */
const mostFileBytes = 512 * 1024
/** The limit for one file. A file with more changed lines is shown as replaced, so that no comparison takes long. */
const mostEdits = 500
/** The diffs of one answer. */
const mostDiffLength = 400_000

export interface ReadChangesOptions {
  /** Only this file, relative to the workspace. */
  readonly path: string | undefined
  /** The last prompt, which the suggested message is made from. */
  lastPrompt(): Promise<string | undefined>
}

export async function readChanges(workspace: Workspace, { path, lastPrompt }: ReadChangesOptions): Promise<Changes> {
  const { session, folder, since, git } = workspace
  const about = { session: session.name, workspace_path: folder.path }
  const repository = await openRepository(git, folder.path, since)
  if (!repository) {
    const reason = `${folder.path} is not in a git repository, so there is nothing to compare it with.`
    return { ...about, files: [], additions: 0, deletions: 0, reason }
  }
  const all = await findChangedFiles(git, folder, repository)
  const wanted = path === undefined ? all : all.filter((file) => file.path === path)
  if (path !== undefined && wanted.length === 0) {
    throw new HubError('not-found', `"path": ${path} has not changed. Leave it out for all changed files.`)
  }
  const files = await describe(git, folder, wanted.slice(0, mostFiles))
  const { branch, base } = repository
  return {
    ...about,
    ...(branch !== undefined && { branch }),
    ...(base !== undefined && { base: await describeCommit(git, folder.path, base) }),
    files,
    ...(wanted.length > mostFiles && { more_files: wanted.length - mostFiles }),
    additions: sum(files, 'additions'),
    deletions: sum(files, 'deletions'),
    ...(files.length > 0 && { suggested_message: suggestMessage(files, await lastPrompt()) }),
  }
}

async function describe(git: Git, folder: Folder, changed: readonly ChangedFile[]): Promise<FileChange[]> {
  const small = changed.flatMap(({ base, now }) => (isComparable(base, now) && base ? [base.object] : []))
  const blobs = await readBlobs(git, folder.path, [...new Set(small)])
  const files: FileChange[] = []
  let length = 0
  for (const { path, status, base, now } of changed) {
    const shown = compare(folder, { path, status, base, now }, blobs)
    if ('omitted' in shown) files.push({ path, status, additions: 0, deletions: 0, ...shown })
    else {
      const { diff } = shown
      const fits = length + diff.length <= mostDiffLength || changed.length === 1
      if (fits) length += diff.length
      files.push({ path, status, ...countLines(diff), ...(fits ? { diff } : { omitted: 'limit' }) })
    }
    // A comparison takes long, so other work gets its turn.
    await setImmediate()
  }
  return files
}

function isComparable(base: ChangedFile['base'], now: ChangedFile['now']): boolean {
  if (base && (base.mode === '160000' || base.bytes > mostFileBytes)) return false
  return now.is === 'missing' || (now.is === 'content' && now.size <= mostFileBytes)
}

type Compared = { readonly diff: string } | { readonly omitted: Omission }

function compare(folder: Folder, { path, base, now }: ChangedFile, blobs: ReadonlyMap<string, Buffer>): Compared {
  if (base?.mode === '160000') return { omitted: 'repository' }
  if (now.is !== 'missing' && now.is !== 'content') return { omitted: now.is }
  if (!isComparable(base, now)) return { omitted: 'too-large' }
  const before = base ? blobs.get(base.object) : Buffer.alloc(0)
  const after = now.is === 'content' ? readContent(folder, path, mostFileBytes) : Buffer.alloc(0)
  if (!before || !after) return { omitted: 'unreadable' }
  if (before.includes(0) || after.includes(0)) return { omitted: 'binary' }
  const names = { before: base ? `a/${path}` : '/dev/null', after: now.is === 'missing' ? '/dev/null' : `b/${path}` }
  return { diff: unifiedDiff(before.toString(), after.toString(), names, mostEdits) }
}

function countLines(diff: string): { readonly additions: number; readonly deletions: number } {
  const lines = diff.split('\n').slice(2)
  return {
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
  }
}

async function describeCommit(git: Git, folder: string, commit: string): Promise<{ commit: string; subject: string }> {
  const text = await git(folder, 'cat-file', 'commit', commit)
  const message = text.slice(text.indexOf('\n\n') + 2)
  return { commit, subject: message.split('\n')[0]!.slice(0, 200) }
}

function sum(files: readonly FileChange[], field: 'additions' | 'deletions'): number {
  return files.reduce((total, file) => total + file[field], 0)
}
