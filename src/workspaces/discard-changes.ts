/** Restores a file as it was at the branch point, and removes a new file. Commits and the index of git stay. */
import { chmod, open, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ChangeStatus } from '../api/changes.ts'
import { HubError } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import { systemReason } from '../base/system-reason.ts'
import { readBlobs } from './blobs.ts'
import { openRepository } from './branch-point.ts'
import { type ChangedFile, findChangedFiles } from './changed-files.ts'
import { openFolder, pathInside, placeOf } from './files.ts'
import type { Workspace } from './workspace.ts'

export interface Discarded {
  readonly path: string
  readonly status: ChangeStatus
}

export async function discardChanges({ folder, since, git }: Workspace, path: string): Promise<Discarded> {
  const inside = pathInside(path)
  const repository = await openRepository(git, folder.path, since)
  const changed = repository && (await findChangedFiles(git, folder, repository))
  const file = changed?.find((each) => each.path === inside)
  if (!file)
    throw new HubError('not-found', `"path": ${path} has not changed. Call read_changes for the changed files.`)
  const before = await contentBefore(file)

  try {
    await restore(folder, file, before)
  } catch (error) {
    throw new HubError('unavailable', `"path": ${path} cannot be restored: ${systemReason(error)}.`, { cause: error })
  }
  return { path: inside, status: file.status }

  async function contentBefore({ base, now }: ChangedFile): Promise<Buffer | undefined> {
    if (now.is === 'repository' || base?.mode === '160000') {
      throw new HubError('invalid', `"path": ${path} is a repository of its own. Restore it with git in it.`)
    }
    if (!base) return undefined
    const blob = (await readBlobs(git, folder.path, [base.object])).get(base.object)
    if (!blob)
      throw new HubError('unavailable', `"path": git has no earlier content of ${path}, so it cannot be restored.`)
    return blob
  }
}

/** Without a content, removes the file. */
async function restore(folder: Folder, file: ChangedFile, content: Buffer | undefined): Promise<void> {
  const parent = dirname(file.path) === '.' ? '' : dirname(file.path)
  await using opened = await openFolder(folder, parent, file.status === 'deleted')
  const place = placeOf(opened.fd, join(folder.path, parent))
  const target = join(place, basename(file.path))
  if (content === undefined) await rm(target)
  else {
    // Renamed over the file, so that a link of that name is replaced and never followed.
    const fresh = join(place, `.${basename(file.path).slice(0, 200)}.discarding`)
    await rm(fresh, { force: true })
    if (file.base!.mode === '120000') await symlink(content, fresh)
    else {
      await using written = await open(fresh, 'wx', 0o666)
      await written.writeFile(content)
      if (file.base!.mode === '100755') await chmod(fresh, (await written.stat()).mode | 0o111)
    }
    await rename(fresh, target)
  }
}
