/** Refreshes an index after changes. Where the system has no watches left, it looks at regular times instead. */
import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FolderWatches } from './folder-watches.ts'
import { createFolderWatches, foldersIn } from './folder-watches.ts'

export interface Watched {
  readonly root: string
  /** Only the branches matter, not the files. */
  readonly isRef: boolean
  refresh(): Promise<Refreshed>
}

export interface Refreshed {
  /** The folders with indexed files, relative to the root. `undefined`: too many to watch. */
  readonly folders: readonly string[] | undefined
  readonly gitDirectories: readonly string[]
  readonly tookMs: number
}

/** A program that writes a file often writes several. */
const settleMs = 200
/** While files keep changing, refreshes take a third of the time. */
const restShare = 2
/** The longest pause before a refresh. */
const maxRestMs = 5_000
/** Also while folders are watched: a network drive reports no changes. */
const pollMs = 5 * 60_000
/** Without watches. A refresh without changes takes a fraction of a second of one core. */
const pollWithoutWatchesMs = 30_000
/** Folders below `refs`, such as `refs/heads/feature`. */
const maxRefFolders = 300

/** The names in a git directory that change with a commit, a switch, a fetch or `git add`. */
const gitNames: ReadonlySet<string> = new Set(['HEAD', 'index', 'packed-refs', 'FETCH_HEAD'])

export function watchSource({ root, isRef, refresh }: Watched): Disposable {
  let isDisposed = false
  let isRunning = false
  let isDirty = false
  let tookMs = 0
  let timer: NodeJS.Timeout | undefined
  let dueAt = 0
  let gitDirectories: ReadonlySet<string> = new Set()
  const folders: FolderWatches = createFolderWatches(noticed)
  const parent = watchParent(root, () => schedule(settleMs))

  function noticed(path: string): void {
    // In a git directory, most files are of no interest, and git makes many.
    if (gitDirectories.has(dirname(path)) && !gitNames.has(basename(path))) return
    schedule(restMs())
  }

  const restMs = () => Math.min(Math.max(settleMs, tookMs * restShare), maxRestMs)

  /** A later change does not put off a refresh: a file that is written all the time would prevent it. */
  function schedule(delayMs: number): void {
    if (isDisposed) return
    if (isRunning) {
      isDirty = true
      return
    }
    const at = performance.now() + delayMs
    if (timer && at >= dueAt) return
    dueAt = at
    clearTimeout(timer)
    timer = setTimeout(() => void run(), delayMs)
    timer.unref()
  }

  async function run(): Promise<void> {
    isRunning = true
    isDirty = false
    timer = undefined
    let isBlind = false
    try {
      const found = await refresh()
      tookMs = found.tookMs
      gitDirectories = new Set(found.gitDirectories)
      if (!isDisposed) await folders.follow(placesToWatch(found))
      isBlind = folders.isExhausted() || found.folders === undefined
    } catch {
      // The status says why. The next change or the next look tries again.
    }
    isRunning = false
    schedule(isDirty ? restMs() : isBlind ? pollWithoutWatchesMs : pollMs)
  }

  function placesToWatch(found: Refreshed): readonly string[] {
    const refs = found.gitDirectories.flatMap((directory) => [directory, ...refFolders(directory)])
    return isRef ? refs : [...refs, ...(found.folders ?? []).map((folder) => join(root, folder))]
  }

  schedule(0)
  return {
    [Symbol.dispose]() {
      isDisposed = true
      clearTimeout(timer)
      parent?.close()
      folders[Symbol.dispose]()
    },
  }
}

function refFolders(directory: string): readonly string[] {
  const found = ['heads', 'tags', 'remotes'].map((kind) => join(directory, 'refs', kind))
  for (const folder of found) {
    if (found.length >= maxRefFolders) break
    found.push(...(foldersIn(folder) ?? []))
  }
  return found
}

/** Reports that the root is gone, or is back. */
function watchParent(root: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(root), { persistent: false }, (_, name) => {
      if (name === basename(root)) onChange()
    })
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}
