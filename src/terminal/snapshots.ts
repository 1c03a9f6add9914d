/** Saves the screen to disk now and then, so that a later hub can draw it without a whole journal. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { maxSize } from '../base/terminal-size.ts'
import { cpuMs } from '../base/cpu-ms.ts'
import type { Screen, Snapshot } from './screen/screen.ts'
import { snapshotFormat } from './screen/screen.ts'

export interface Snapshots {
  /** Call it after output: writes a snapshot if enough was drawn since the last one. */
  update(): void
  /** Writes a snapshot now, if the screen is in a state that allows one. */
  write(): void
}

const snapshotFile = 'screen.json'
/**
 * A snapshot is written when the drawing since the last one took this many times as long as writing one. So a later hub
 * has little to redraw for any output, and this hub spends less time on snapshots than on drawing.
 */
const worthwhile = 2
const leastMs = 10
/** Used until one was written. */
const assumedMs = 20
/** The largest part of the time that snapshots may take, for one terminal and for all together. */
const share = 0.05
const shareOfAll = 0.2
/** A hub that has just started has many screens to draw, for which people wait. */
const firstAfterMs = 5_000

let notBeforeForAll = 0

/**
 * `savedTo`: the end of the last snapshot, or the beginning of the journal. Drawing since then counts. Otherwise, if
 * hubs are killed one after another, each would have more to draw than the one before.
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
    if (snapshot && replaceFile(path, JSON.stringify(snapshot))) {
      writtenAt = snapshot.offset
      drawnMs = screen.drawingMs
    }
    const ms = cpuMs() - began
    writingMs = snapshot ? ms : Math.max(writingMs, ms)
    const now = performance.now()
    notBefore = now + writingMs / share
    notBeforeForAll = now + writingMs / shareOfAll
  }

  function update(): void {
    if (later || screen.drawingMs - drawnMs < Math.max(leastMs, worthwhile * writingMs)) return
    const waitMs = Math.max(notBefore, notBeforeForAll) - performance.now()
    // The program may not print anything until then.
    if (waitMs > 0) later = setTimeout(updateLater, waitMs).unref()
    else write()
  }

  function updateLater(): void {
    later = undefined
    update()
  }

  return { write, update }
}

const maxFileBytes = 64 * 1024 * 1024
const column = z.int().min(0).max(maxSize.cols)
const colours = { foreground: z.int(), background: z.int() }
const savedCursor = z.object({ column, line: z.int().min(0), ...colours })
const oddCells = z.array(
  z.object({
    fromEnd: z.int().min(1),
    column: column.max(maxSize.cols - 1),
    content: z.int(),
    combined: z.string().exactOptional(),
  }),
)
const snapshotSchema: z.ZodType<Snapshot> = z.object({
  format: z.literal(snapshotFormat),
  offset: z.int().min(0),
  size: z.object({ cols: z.int().min(2).max(maxSize.cols), rows: z.int().min(1).max(maxSize.rows) }),
  drawing: z.string(),
  remainder: z.object({
    column,
    joinState: z.int(),
    ink: z.object({ ...colours, extended: z.int() }),
    saved: z.object({ normal: savedCursor, alternate: savedCursor }),
    oddCells: z.object({ normal: oddCells, alternate: oddCells }),
    hiddenStops: z.object({ normal: z.array(column), alternate: z.array(column) }),
  }),
  title: z.string(),
  workingDirectory: z.string().exactOptional(),
  shellState: z.enum(['prompt', 'running']).exactOptional(),
  hasOlderLines: z.boolean(),
})

/** `undefined` if there is no usable one: the journal contains everything. */
export function readSnapshot(directory: string): Snapshot | undefined {
  try {
    const path = join(directory, snapshotFile)
    if (statSync(path).size > maxFileBytes) return undefined
    return snapshotSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return undefined
  }
}

/** False on a full disk. The last snapshot stays, which is older but still valid. */
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
