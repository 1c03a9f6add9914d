/** The files that a workspace begins with. */
import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { includesOf } from './include-files.ts'
import type { ListedTemplate } from './templates.ts'

export interface Seeded {
  /** Relative to the workspace. */
  readonly written: readonly string[]
  /** There was something else in their place, which stays as it is. */
  readonly kept: readonly string[]
}

/** Copies what the template includes into the workspace, which must be there. Never over a file, never through a link. */
export async function seedWorkspace(listed: ListedTemplate, workspace: string): Promise<Seeded> {
  const written: string[] = []
  const kept: string[] = []
  for (const { source, target } of includesOf(listed.template)) {
    for (const file of await filesOf(await findAsset(listed, source))) {
      const place = join(target, file.path)
      await makeFolder(workspace, dirname(place))
      if (await copyNew(file.from, join(workspace, place))) written.push(place)
      else if (!(await isSame(file.from, join(workspace, place)))) kept.push(place)
    }
  }
  return { written, kept }
}

async function findAsset({ template, assetDirectories }: ListedTemplate, source: string): Promise<string> {
  for (const place of assetDirectories) {
    if (await lstat(join(place, source)).catch(() => undefined)) return join(place, source)
  }
  throw new HubError(
    'unavailable',
    `The template "${template.name}" includes "${source}", which is missing: put it into ${assetDirectories[0]}.`,
  )
}

/** The file itself, or all that a folder holds. */
async function filesOf(root: string): Promise<readonly { readonly from: string; readonly path: string }[]> {
  const stat = await lstat(root)
  if (stat.isFile()) return [{ from: root, path: '' }]
  if (!stat.isDirectory()) {
    throw new HubError('invalid', `${root} is neither a file nor a folder: put a copy of what it stands for there.`)
  }
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((from) => ({ from, path: relative(root, from) }))
}

/** Step by step: a link on the way would lead out of the workspace. */
async function makeFolder(root: string, inner: string): Promise<void> {
  let path = root
  for (const part of inner.split(sep).filter((name) => name !== '.')) {
    path = join(path, part)
    await mkdir(path).catch(ignore('EEXIST'))
    if (!(await lstat(path)).isDirectory()) {
      throw new HubError('conflict', `${path} is no folder, so nothing can be put into it: move it out of the way.`)
    }
  }
}

async function copyNew(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    ignore('EEXIST')(error)
    return false
  }
}

async function isSame(from: string, to: string): Promise<boolean> {
  const there = await readFile(to).catch(() => undefined)
  return there?.equals(await readFile(from)) === true
}

function ignore(code: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error
  }
}
