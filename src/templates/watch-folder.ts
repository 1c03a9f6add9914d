/** Reports changes in a folder, even if the folder is deleted and created again, or cannot be watched. */
import { type FSWatcher, statSync, watch } from 'node:fs'

/** One change causes several events, and an editor writes a file in several steps. */
const quietMs = 50

/** How often a folder that cannot be watched is checked. */
const retryMs = 1_000

export function watchFolder(path: string, onChange: () => void): Disposable {
  let watcher: FSWatcher | undefined
  let watched: string | undefined
  let pending: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined
  arm()

  function arm(): void {
    try {
      watched = identityOf(path)
      watcher = watch(path, { persistent: false }, () => {
        // A watcher continues to watch the old folder, even if that was renamed.
        if (identityOf(path) !== watched) lose()
        else note()
      })
      watcher.on('error', lose)
    } catch {
      lose()
    }
  }

  function lose(): void {
    watcher?.close()
    watcher = undefined
    note()
    retry ??= setTimeout(() => {
      retry = undefined
      arm()
      note()
    }, retryMs).unref()
  }

  function note(): void {
    pending ??= setTimeout(() => {
      pending = undefined
      onChange()
    }, quietMs).unref()
  }

  return {
    [Symbol.dispose]() {
      watcher?.close()
      clearTimeout(pending)
      clearTimeout(retry)
    },
  }
}

/** The inode number alone may be reused by a new folder. */
function identityOf(path: string): string | undefined {
  try {
    const { ino, birthtimeMs } = statSync(path)
    return `${ino}:${birthtimeMs}`
  } catch {
    return undefined
  }
}
