/**
 * Watches many folders, each without those below it. The recursive watch of Node would walk the whole tree, including
 * ignored files, and add a watch for every file. Here only the folders with indexed files are watched.
 */
import type { FSWatcher } from 'node:fs'
import { opendirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

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
/**
 * A program can rename large folders all the time. So many entries are read at once, and further folders are looked at later.
 */
const entriesAtOnce = 2_000
const pauseMs = 100
/** Folders that are large and never indexed. */
const unwatched: ReadonlySet<string> = new Set(['.git', 'node_modules', '.hg', '.svn'])

export function createFolderWatches(onChange: (path: string) => void): FolderWatches {
  const watches = new Map<string, FSWatcher>()
  const newFolders = new Set<string>()
  const renamed = new Set<string>()
  let entriesLeft = entriesAtOnce
  let pause: NodeJS.Timeout | undefined
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
    if (entriesLeft > 0) replace(path)
    else if (renamed.size < maxNewFolders) renamed.add(path)
    pause ??= setTimeout(lookAgain, pauseMs).unref()
  }

  function lookAgain(): void {
    pause = undefined
    if (isDisposed) return
    entriesLeft = entriesAtOnce
    const paths = [...renamed]
    renamed.clear()
    for (const path of paths) {
      noteRenamed(path)
      // What came before the watch was there.
      onChange(path)
    }
  }

  /** A folder that was deleted and made again needs a new watch. */
  function replace(path: string): void {
    if (watches.has(path)) {
      entriesLeft -= watches.size
      for (const folder of watches.keys()) if (isBelow(folder, path)) drop(folder)
    }
    addNew(path)
  }

  /** Watches a new folder at once: nothing in it is indexed yet, so a new file in it would not be noticed. */
  function addNew(path: string): void {
    const waiting = [path]
    for (const folder of waiting) {
      if (newFolders.size >= maxNewFolders || watches.has(folder)) continue
      const { folders: below, read } = readFolder(folder)
      entriesLeft -= read
      if (!below) continue
      newFolders.add(folder)
      add(folder)
      waiting.push(...below)
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

/** `undefined`: it is not a folder. */
export function foldersIn(path: string): readonly string[] | undefined {
  return readFolder(path).folders
}

/** The first folders in it. `read`: how many entries that took. */
function readFolder(path: string): { readonly folders?: readonly string[]; readonly read: number } {
  const folders: string[] = []
  let read = 1
  try {
    using directory = opendirSync(path)
    for (let entry = directory.readSync(); entry && read < entriesAtOnce; entry = directory.readSync()) {
      read++
      if (entry.isDirectory() && !unwatched.has(entry.name)) folders.push(join(path, entry.name))
    }
    return { folders, read }
  } catch {
    return { read }
  }
}
