/**
 * Opens a file below a folder in which other programs can rename and link files. No symbolic link is followed on the
 * way, not even one that replaces a folder between two steps.
 */
import { closeSync, constants, existsSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** The identity of a folder, to check later that the same folder is still at its path. */
export interface Folder {
  /** Without symbolic links. */
  readonly path: string
  /** Its device and inode. */
  readonly id: string
}

/** Throws if the folder is missing. */
export function folderAt(path: string): Folder {
  const real = realpathSync(path)
  return { path: real, id: idOf(statSync(real, { bigint: true })) }
}

/** Whether there is a folder at this path below a root without links, and no link leads to it. */
export function isReachedWithoutLinks(root: string, path: string): boolean {
  const folder = join(root, path)
  return existsSync(folder) && realpathSync(folder) === folder
}

export interface OpenInside {
  readonly root: Folder
  /** Relative to the root, without dots. */
  readonly path: string
  readonly flags: number
  readonly mode?: number
  /** Creates missing folders on the way, with `folderMode`. */
  readonly makeFolders?: boolean
  readonly folderMode?: number
}

/** Rejects with ELOOP or ENOTDIR if a link is in the way, and with ESTALE if another folder has replaced the root. */
export async function openInside(options: OpenInside): Promise<FileHandle> {
  return process.platform === 'linux' ? openStepByStep(options) : openWithoutLinks(options)
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Looks up each step in the folder that the previous step opened, even if that folder has been renamed since. */
async function openStepByStep({ root, path, flags, mode, makeFolders, folderMode }: OpenInside): Promise<FileHandle> {
  const folders = path.split(sep)
  const name = folders.pop()!
  await using opened = new AsyncDisposableStack()
  let folder = opened.use(await open(root.path, folderFlags))
  assertSame(root, await folder.stat({ bigint: true }))
  const below = (part: string) => `/proc/self/fd/${folder.fd}/${part}`
  for (const part of folders) {
    if (makeFolders) await mkdir(below(part), folderMode).catch(ignoreExisting)
    folder = opened.use(await open(below(part), folderFlags))
  }
  // Awaited here, because the folder must stay open until the file is.
  return await open(below(name), flags | constants.O_NOFOLLOW, mode)
}

/** The macOS flag O_NOFOLLOW_ANY: no part of the path may be a link. Node has no constant for it. */
const noFollowAny = 0x2000_0000

async function openWithoutLinks({ root, path, flags, mode, makeFolders, folderMode }: OpenInside): Promise<FileHandle> {
  assertSame(root, await stat(root.path, { bigint: true }))
  const file = join(root.path, path)
  if (makeFolders)
    await mkdir(join(file, '..'), { recursive: true, ...(folderMode !== undefined && { mode: folderMode }) })
  return open(file, flags | noFollowAny, mode)
}

/**
 * Opens a file to read, without waiting for a pipe or a device. Faster than `openInside` where many files are read: the
 * whole path is opened, and then it is checked where the opened file is.
 */
export function openInsideSync(root: Folder, path: string): number {
  const file = join(root.path, path)
  const noLinks = process.platform === 'linux' ? constants.O_NOFOLLOW : noFollowAny
  const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | noLinks)
  if (process.platform !== 'linux' || readlinkSync(`/proc/self/fd/${opened}`) === file) return opened
  closeSync(opened)
  throw Object.assign(new Error(`a link is on the way to ${file}`), { code: 'ELOOP' })
}

function assertSame({ path, id }: Folder, found: FolderId): void {
  if (idOf(found) === id) return
  throw Object.assign(new Error(`another folder has replaced ${path}`), { code: 'ESTALE' })
}

type FolderId = Pick<BigIntStats, 'dev' | 'ino'>

function idOf({ dev, ino }: FolderId): string {
  return `${dev}:${ino}`
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
}
