/** Copies the files of a template into a new workspace. */
import { constants } from 'node:fs'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import { folderAt, openInside } from '../base/open-inside.ts'
import { readInside } from '../base/read-inside.ts'
import { systemReason } from '../base/system-reason.ts'
import { includesOf } from './include-files.ts'
import type { ListedTemplate } from './template.ts'

export interface Seeded {
  /** Relative to the workspace. */
  readonly written: readonly string[]
  /** Another file was already there and stays as it is. */
  readonly kept: readonly string[]
}

/** The workspace must exist. Never overwrites a file, and never follows a link. */
export async function seedWorkspace(
  listed: ListedTemplate,
  workspace: string,
  root: Folder = folderAt(workspace),
): Promise<Seeded> {
  const written: string[] = []
  const kept: string[] = []
  for (const { source, target } of includesOf(listed.template)) {
    for (const file of await filesOf(await findAsset(listed, source))) {
      const place = join(target, file.path)
      if (await copyNew(file.from, root, place)) written.push(place)
      else if (!(await isSame(file.from, root, place))) kept.push(place)
    }
  }
  return { written, kept }
}

/** The texts of the files that `seedWorkspace` copies, by their path in the workspace. */
export async function readIncludes(listed: ListedTemplate): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const { source, target } of includesOf(listed.template)) {
    for (const { from, path } of await filesOf(await findAsset(listed, source))) {
      texts.set(join(target, path), await readFile(from, 'utf8'))
    }
  }
  return texts
}

async function findAsset({ template, assetDirectories }: ListedTemplate, source: string): Promise<string> {
  for (const place of assetDirectories) {
    const path = join(place, source)
    try {
      await lstat(path)
      return path
    } catch (error) {
      // An asset that cannot be read must not give way to a shipped one.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        throw new HubError('unavailable', `${path} cannot be read: ${systemReason(error)}.`, { cause: error })
      }
    }
  }
  throw new HubError(
    'unavailable',
    `The template "${template.name}" includes "${source}", which is missing. Put it into ${assetDirectories[0]}.`,
  )
}

/** The file itself, or all files of a folder. */
async function filesOf(root: string): Promise<readonly { readonly from: string; readonly path: string }[]> {
  const stat = await lstat(root)
  if (stat.isFile()) return [{ from: root, path: '' }]
  if (!stat.isDirectory()) {
    throw new HubError('invalid', `${root} is neither a file nor a folder. Put a regular file or folder there.`)
  }
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((from) => ({ from, path: relative(root, from) }))
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/** False if there is already something at that path. */
async function copyNew(from: string, root: Folder, path: string): Promise<boolean> {
  const { mode } = await lstat(from)
  try {
    await using file = await openInside({ root, path, flags: newFile, mode: 0o600, makeFolders: true })
    await file.writeFile(await readFile(from))
    await file.chmod(mode & 0o777)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') return false
    if (code === 'ESTALE') {
      throw new HubError('conflict', `Another folder has replaced the workspace ${root.path}.`, { cause: error })
    }
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error
    const obstacle = await firstNonFolder(root.path, dirname(path))
    throw new HubError('conflict', `${obstacle} is not a folder, so no file can be put into it. Move it away.`, {
      cause: error,
    })
  }
}

async function firstNonFolder(root: string, path: string): Promise<string> {
  let folder = root
  if (!(await isFolder(root))) return root
  for (const part of path.split(sep)) {
    folder = join(folder, part)
    if (!(await isFolder(folder))) break
  }
  return folder
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true
}

async function isSame(from: string, root: Folder, path: string): Promise<boolean> {
  const bytes = await readFile(from)
  const there = readInside(root, path, bytes.length)
  return there.is === 'content' && there.bytes.equals(bytes)
}
