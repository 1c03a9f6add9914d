/** Keeps the screen's state on disk now and then, so that a later hub need not read a whole journal to draw it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuMs } from '../base/cpu-ms.ts'
import type { Screen, Snapshot } from './screen.ts'
import { snapshotFormat } from './screen.ts'

export interface Snapshots {
  /** Call after output: writes one when enough was drawn since the last. */
  note(): void
  /** Writes one now, where the screen can be told. */
  write(): void
}

const snapshotFile = 'screen.json'
/**
 * One is written when what was drawn since the last has taken this many times as long as writing one does: so little is
 * left for the next hub to draw again, whatever the program prints, and this one spends less on them than on drawing.
 */
const worthwhile = 2
const leastMs = 10
/** As long as none was written. */
const assumedMs = 20
/** At most this part of the time is spent on those of one terminal, and this on those of all. */
const share = 0.05
const shareOfAll = 0.2
/** A hub that has just started has many screens to draw, which people wait for. */
const firstAfterMs = 5_000

let notBeforeForAll = 0

/**
 * `savedTo`: where the last one ends, or the journal begins. What was drawn since then counts: else each of many hubs
 * that are killed one after another would have more to draw than the one before.
 */
export function createSnapshots(directory: string, screen: Screen, savedTo: number): Snapshots {
  const path = join(directory, snapshotFile)
  let writtenAt = savedTo
  let drawnMs = 0
  let writingMs = assumedMs
  let notBefore = screen.offset === savedTo ? 0 : performance.now() + firstAfterMs
  let later: NodeJS.Timeout | undefined

  function write(): void {
    clearTimeout(later)
    later = undefined
    if (screen.offset === writtenAt) return
    const began = cpuMs()
    const snapshot = screen.snapshot()
    if (!snapshot) return
    if (replaceFile(path, JSON.stringify(snapshot))) {
      writtenAt = snapshot.offset
      drawnMs = screen.drawingMs
    }
    writingMs = cpuMs() - began
    const now = performance.now()
    notBefore = now + writingMs / share
    notBeforeForAll = now + writingMs / shareOfAll
  }

  function note(): void {
    if (later || screen.drawingMs - drawnMs < Math.max(leastMs, worthwhile * writingMs)) return
    const waitMs = Math.max(notBefore, notBeforeForAll) - performance.now()
    // The program may print no more until then.
    if (waitMs > 0) later = setTimeout(noteAgain, waitMs).unref()
    else write()
  }

  function noteAgain(): void {
    later = undefined
    note()
  }

  return { write, note }
}

/** `undefined` if there is none that can be used: the journal has everything it had. */
export function readSnapshot(directory: string): Snapshot | undefined {
  try {
    const snapshot = JSON.parse(readFileSync(join(directory, snapshotFile), 'utf8')) as Snapshot
    return snapshot.format === snapshotFormat ? snapshot : undefined
  } catch {
    return undefined
  }
}

/** False on a full disk: then the last one stays, which is as good, only older. */
function replaceFile(path: string, text: string): boolean {
  const next = `${path}.new`
  try {
    writeFileSync(next, text, { mode: 0o600 })
    renameSync(next, path)
    return true
  } catch {
    rmSync(next, { force: true })
    return false
  }
}
