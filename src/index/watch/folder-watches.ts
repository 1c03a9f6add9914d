/**
 * Watches many folders, each without those below it. The recursive watch of Node would walk the whole tree, including
 * ignored files, and add a watch for every file. Here only the folders with indexed files are watched.
 */
import type { FSWatcher } from 'node:fs'
import { watch } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

export interface FolderWatches extends Disposable {
  /** Watches only these folders, and new folders that have no indexed file yet. */
  follow(folders: readonly string[]): Promise<void>
  /** Whether the system has no watches left. Then nothing is watched. */
  isExhausted(): boolean
}

/** Other work gets its turn after this many new watches. */
const addedPerTurn = 100
/** New folders, and those below them, that are watched before anything in them is indexed. */
const maxNewFolders = 500
/** A program can rename a large folder all the time. */
const maxEntries = 2_000
const pauseMs = 100
/** Folders that are large and never indexed. */
const unwatched: ReadonlySet<string> = new Set(['.git', 'node_modules', '.hg', '.svn'])

export function createFolderWatches(onChange: (path: string) => void): FolderWatches {
  const watches = new Map<string, FSWatcher>()
  const newFolders = new Set<string>()
  const renamed = new Set<string>()
  let isLooking = false
  let isExhausted = false
  let isDisposed = false

  function add(folder: string): void {
    if (watches.has(folder) || isExhausted || isDisposed) return
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        const path = join(folder, name ?? '')
        if (event === 'rename' && name !== null && !unwatched.has(name)) noteRenamed(path)
        onChange(path)
      })
      watcher.on('error', () => drop(folder))
      watches.set(folder, watcher)
    } catch (error) {
      // The folder may be gone; then its parent has reported it.
      if (!['ENOSPC', 'EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '')) return
      isExhausted = true
      dropAll()
    }
  }

  function noteRenamed(path: string): void {
    if (renamed.size < maxNewFolders) renamed.add(path)
    if (!isLooking) void lookAtRenamed()
  }

  async function lookAtRenamed(): Promise<void> {
    isLooking = true
    while (renamed.size > 0 && !isDisposed) {
      const paths = [...renamed]
      renamed.clear()
      for (const path of paths) await replace(path)
      await sleep(pauseMs, undefined, { ref: false })
    }
    isLooking = false
  }

  /** A folder that was deleted and made again needs a new watch. */
  async function replace(path: string): Promise<void> {
    if (watches.has(path)) for (const folder of watches.keys()) if (isBelow(folder, path)) drop(folder)
    await addNew(path)
  }

  /** Nothing in a new folder is indexed yet, so a new file in it would not be noticed. */
  async function addNew(path: string): Promise<void> {
    const waiting = [path]
    for (const folder of waiting) {
      if (newFolders.size >= maxNewFolders || watches.has(folder)) continue
      const below = await foldersIn(folder)
      if (!below || isDisposed) continue
      newFolders.add(folder)
      add(folder)
      waiting.push(...below)
      // What came before the watch was there.
      onChange(folder)
    }
  }

  function drop(folder: string): void {
    watches.get(folder)?.close()
    watches.delete(folder)
    newFolders.delete(folder)
  }

  function dropAll(): void {
    for (const folder of watches.keys()) drop(folder)
  }

  return {
    async follow(folders) {
      const wanted = new Set(folders)
      for (const folder of watches.keys()) {
        if (wanted.has(folder)) newFolders.delete(folder)
        else if (!newFolders.has(folder)) drop(folder)
      }
      let added = 0
      for (const folder of folders) {
        if (watches.has(folder)) continue
        add(folder)
        if (++added % addedPerTurn === 0) await setImmediate()
      }
    },
    isExhausted: () => isExhausted,
    [Symbol.dispose]() {
      isDisposed = true
      dropAll()
    },
  }
}

function isBelow(folder: string, path: string): boolean {
  return folder === path || folder.startsWith(`${path}/`)
}

/** The first ones. `undefined`: it is not a folder. */
export async function foldersIn(path: string): Promise<readonly string[] | undefined> {
  const found: string[] = []
  let seen = 0
  try {
    for await (const entry of await opendir(path)) {
      if (entry.isDirectory() && !unwatched.has(entry.name)) found.push(join(path, entry.name))
      if (++seen >= maxEntries) break
    }
    return found
  } catch {
    return undefined
  }
}
