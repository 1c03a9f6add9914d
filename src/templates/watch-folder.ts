/** Tells that something in a folder has changed, also where the folder goes and comes back, or cannot be watched. */
import { type FSWatcher, statSync, watch } from 'node:fs'

/** A change comes as several events, and an editor writes a file in several steps. */
const quietMs = 50

/** How often a folder that cannot be watched is looked at. */
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
        // A watcher goes on watching the folder that was, wherever that is now.
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

/** The number alone is given again to the next folder that is made. */
function identityOf(path: string): string | undefined {
  try {
    const { ino, birthtimeMs } = statSync(path)
    return `${ino}:${birthtimeMs}`
  } catch {
    return undefined
  }
}
