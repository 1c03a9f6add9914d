/** Keeps the screen's state on disk now and then, so that a later hub need not read a whole journal to draw it. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Screen, Snapshot } from './screen.ts'

export interface Snapshots {
  /** Call after output: writes one when enough has come since the last. */
  note(): void
  /** Writes one now, where the screen can be told. */
  write(): void
}

const snapshotFile = 'screen.json'
const everyBytes = 512 * 1024

export function createSnapshots(directory: string, screen: Screen): Snapshots {
  let writtenAt = screen.offset
  function write(): void {
    if (screen.offset === writtenAt) return
    const snapshot = screen.snapshot()
    if (!snapshot) return
    const path = join(directory, snapshotFile)
    writeFileSync(`${path}.new`, JSON.stringify(snapshot), { mode: 0o600 })
    renameSync(`${path}.new`, path)
    writtenAt = snapshot.offset
  }
  return {
    write,
    note() {
      if (screen.offset - writtenAt >= everyBytes) write()
    },
  }
}

/** `undefined` if there is none that can be read: the journal has everything it had. */
export function readSnapshot(directory: string): Snapshot | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, snapshotFile), 'utf8')) as Snapshot
  } catch {
    return undefined
  }
}
