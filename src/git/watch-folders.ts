/** Says when something changes in folders that an agent can write. No link is followed. */
import { closeSync, fstatSync, readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { folderAt, openInsideSync } from '../base/open-inside.ts'

export interface WatchedFolder {
  /** No agent can replace it. */
  readonly root: string
  /** Below the root. */
  readonly path: string
  /** Also the folders in it: git puts the branch `fix/one` in a folder `fix`. */
  readonly isDeep?: boolean
}

export interface FolderWatch {
  /** Finds the folders that are new, and forgets those that are gone. */
  look(): void
}

export interface FolderWatchOptions {
  readonly signal: AbortSignal
  /** `isLock`: git has made or removed a lock, and nothing else in this folder, as `git status` does. */
  readonly onChange: (change: { readonly isLock: boolean }) => void
  /** Once for each folder. */
  readonly onFailure: (path: string, error: unknown) => void
}

/** What git changes gets another name at last. */
const lockEnding = '.lock'
/** Each costs a little kernel memory, which is limited for each user. */
const mostFolders = 256

export function watchFolders(folders: readonly WatchedFolder[], options: FolderWatchOptions): FolderWatch {
  const { signal, onChange, onFailure } = options
  /** By their identity. */
  const watched = new Map<string, { close(): void }>()
  const failed = new Set<string>()

  function visit({ root, path, isDeep = false }: WatchedFolder, seen: Set<string>): void {
    if (seen.size >= mostFolders) return
    const whole = join(root, path)
    let opened: number | undefined
    try {
      opened = openInsideSync(folderAt(root), path)
      const here = `/proc/self/fd/${opened}`
      const { dev, ino, birthtimeNs } = fstatSync(opened, { bigint: true })
      const id = `${dev}:${ino}:${birthtimeNs}`
      seen.add(id)
      if (!watched.has(id)) {
        const watcher = watch(here, { persistent: false, signal }, (_event, name) =>
          onChange({ isLock: name?.endsWith(lockEnding) === true }),
        )
        watcher.on('error', (error) => fail(whole, error))
        watched.set(id, watcher)
      }
      if (!isDeep) return
      for (const entry of readdirSync(here, { withFileTypes: true })) {
        if (entry.isDirectory()) visit({ root, path: join(path, entry.name), isDeep }, seen)
      }
    } catch (error) {
      fail(whole, error)
    } finally {
      if (opened !== undefined) closeSync(opened)
    }
  }

  function fail(path: string, error: unknown): void {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (isMissing || failed.has(path)) return
    failed.add(path)
    onFailure(path, error)
  }

  return {
    look() {
      const seen = new Set<string>()
      for (const folder of folders) visit(folder, seen)
      for (const [id, watcher] of watched) {
        if (seen.has(id)) continue
        watcher.close()
        watched.delete(id)
      }
    },
  }
}
