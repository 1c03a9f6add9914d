/** Lists and reads the files of a workspace, never outside of it. */
import { constants } from 'node:fs'
import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { WorkspaceEntry, WorkspaceFile } from '../api/changes.ts'
import { HubError } from '../base/hub-error.ts'
import { type Folder, openInside } from '../base/open-inside.ts'
import { systemReason } from '../base/system-reason.ts'
import { readInside } from '../base/read-inside.ts'

const mostEntries = 2_000
const mostFileBytes = 8 * 1024 * 1024
/** The text of one answer. */
const mostTextLength = 400_000

/** `path` is relative to the workspace; empty is the workspace itself. Folders come first. */
export async function listFiles(
  root: Folder,
  path: string,
): Promise<{ entries: WorkspaceEntry[]; more_entries?: number }> {
  const inside = pathInside(path)
  try {
    await using folder = await openFolder(root, inside)
    const place = placeOf(folder.fd, join(root.path, inside))
    const found = (await readdir(place, { withFileTypes: true })).toSorted(foldersFirst)
    const entries = await Promise.all(
      found.slice(0, mostEntries).map(async (entry): Promise<WorkspaceEntry> => {
        const kind = kindOf(entry)
        const stat = kind === 'file' ? await lstat(join(place, entry.name)).catch(() => undefined) : undefined
        const where = inside === '' ? entry.name : `${inside}/${entry.name}`
        return { name: entry.name, path: where, kind, ...(stat && { bytes: stat.size }) }
      }),
    )
    return { entries, ...(found.length > mostEntries && { more_entries: found.length - mostEntries }) }
  } catch (error) {
    throw notReadable(path, error)
  }
}

export function readFile(
  root: Folder,
  path: string,
  { firstLine, lines }: { readonly firstLine: number; readonly lines: number },
): WorkspaceFile {
  const inside = pathInside(path)
  const read = readInside(root, inside, mostFileBytes)
  if (read.is === 'too-large') return { path: inside, bytes: read.size, omitted: 'too-large', first_line: 1 }
  if (read.is !== 'content') {
    throw new HubError(
      'not-found',
      `"path": there is no file ${path} in the workspace that can be read. Links are not followed. Call list_files for the names.`,
    )
  }
  const { bytes } = read
  if (bytes.includes(0)) return { path: inside, bytes: bytes.length, omitted: 'binary', first_line: 1 }
  const all = bytes.toString().split('\n')
  if (all.at(-1) === '') all.pop()
  const text = all.slice(firstLine - 1, firstLine - 1 + lines).join('\n')
  return {
    path: inside,
    bytes: bytes.length,
    text: text.slice(0, mostTextLength),
    first_line: firstLine,
    total_lines: all.length,
  }
}

/** A path relative to the workspace, without dots. Throws for every other path. */
export function pathInside(path: string): string {
  const parts = path.split(sep).filter((part) => part !== '' && part !== '.')
  if (!path.startsWith(sep) && !parts.includes('..') && !path.includes('\0')) return parts.join(sep)
  throw new HubError('forbidden', `"path": ${path} is not in the workspace. Give a path relative to it, without "..".`)
}

export async function openFolder(root: Folder, path: string, makeFolders = false) {
  // With the dot, the named folder counts as a part of the path, which is created if it is missing.
  const inside = path === '' ? '.' : makeFolders ? `${path}/.` : path
  return openInside({ root, path: inside, flags: constants.O_RDONLY | constants.O_DIRECTORY, makeFolders })
}

/** The opened folder, wherever its name points by now. */
export function placeOf(descriptor: number, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : path
}

function kindOf(entry: Dirent): WorkspaceEntry['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

function foldersFirst(one: Dirent, other: Dirent): number {
  const difference = Number(other.isDirectory()) - Number(one.isDirectory())
  return difference === 0 ? (one.name < other.name ? -1 : 1) : difference
}

function notReadable(path: string, error: unknown): HubError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const why =
    code === 'ENOENT'
      ? 'there is no such folder'
      : code === 'ELOOP' || code === 'ENOTDIR'
        ? 'it is not a folder in the workspace'
        : systemReason(error)
  return new HubError(
    'not-found',
    `"path": ${path === '' ? 'the workspace' : path} cannot be listed: ${why}. Links are not followed.`,
    {
      cause: error,
    },
  )
}
