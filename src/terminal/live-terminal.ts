/** A terminal: output from its holder goes to its screen, and input goes to the holder. */
import { join } from 'node:path'
import { messageOf } from '../base/hub-error.ts'
import { type OtherProcesses, findOtherProcesses } from './other-processes.ts'
import type { TerminalStatus } from './follow-holder.ts'
import { followHolder } from './follow-holder.ts'
import type { History, HistoryOptions } from './history/history.ts'
import { earlierScreen, openHistory } from './history/history.ts'
import type { EarlierScreen } from './history/screen-at.ts'
import type { HolderConnection } from './holder-connection.ts'
import { journalFolder } from './journal/journal-files.ts'
import { journalBounds, readIndexes, readJournal } from './journal/journal.ts'
import { createOutputTail } from './journal/output-tail.ts'
import type { Output } from './journal/read-output.ts'
import { readOutput } from './journal/read-output.ts'
import { createLazyScreen } from './lazy-screen.ts'
import type { ProcessDescription } from './process-table.ts'
import { foregroundOf, foregroundPrograms, hidesInput, isIdle, workingDirectoryOf } from './program.ts'
import type { Size } from './pty/size.ts'
import type { Recording, RecordingAbout } from './recording.ts'
import { exportRecording } from './recording.ts'
import type { RecordedTimes } from './recorded-times.ts'
import { readRecordedTimes } from './recorded-times.ts'
import type { Restoring } from './history/restore.ts'
import { restoreScreen } from './history/restore.ts'
import { busyFeeders } from './screen/feeder.ts'
import { endWorthDrawing } from './screen/left-out.ts'
import type { Screen } from './screen/screen.ts'
import type { Snapshots } from './snapshots.ts'
import { createSnapshots, readSnapshot } from './snapshots.ts'

export interface Terminal {
  readonly id: string
  /** The folder with its journal. */
  readonly directory: string
  readonly size: Size
  /** Drawn at once if it was not drawn yet, which holds up the hub: await `draw` first. Later output is drawn as it arrives. */
  readonly screen: Screen
  /** Draws the screen in slices, if it was not drawn yet. */
  draw(): Promise<void>
  /** For callers that can wait for the screen. `onChange` is called when it is drawn. */
  readonly isDrawn: boolean
  readonly status: TerminalStatus
  /** The offset of the next byte of output. */
  readonly offset: number
  /** The offset of the oldest byte that is still kept. */
  readonly firstOffset: number
  /** A problem that people should know about, such as a full disk. */
  readonly fault: string | undefined
  /** Output from an offset; cheap for a reader that keeps up. */
  readOutput(since: number, maxBytes: number): Output
  /** The lines that have scrolled off the screen, as far as the journal goes back. Throws if they take too long. */
  history(options?: HistoryOptions): Promise<History>
  /**
   * Throws if the program cannot be reached, and if it leaves too much input unread. In its usual (cooked) mode, a
   * terminal takes lines of at most 4,095 bytes. The system drops the rest of longer lines.
   */
  write(bytes: Buffer): void
  resize(size: Size): void
  /** Signals the whole process group of the program. */
  signal(name: NodeJS.Signals): void
  /** For a program in tmux: it continues there without its holder, and this terminal ends. */
  releaseProgram(): void
  /** The other processes in the terminal. Throws if the program cannot be reached. */
  otherProcesses(): Promise<OtherProcesses>
  /** The foreground process: the program itself, or the command it runs. `undefined` after its end. */
  foreground(): Promise<ProcessDescription | undefined>
  /** The names of the foreground programs, wrappers before the programs they run. */
  foregroundPrograms(): Promise<readonly string[]>
  /** The directory that the shell reports, else that of the foreground process. */
  workingDirectory(): Promise<string | undefined>
  /** The shell reports that it is at its prompt, or none of its commands has the foreground. */
  isIdle(): Promise<boolean>
  /** It reads a line without echo, such as a password. `undefined`: the system does not say. */
  hidesInput(): Promise<boolean | undefined>
  /**
   * Called on new output on the screen, and when status, size or fault changes. Returns a function that unsubscribes.
   */
  onChange(listener: () => void): () => void
  /** The times at which the output so far was printed. */
  recordedTimes(): RecordedTimes
  /** The screen as it was when this much had been printed. Drawn in a worker. */
  screenAt(offset: number): Promise<EarlierScreen>
  /** Writes the output as asciicast v3. */
  exportRecording(path: string, about?: RecordingAbout): Promise<Recording>
  /** Disconnects from the terminal. Its holder continues. */
  release(): void
}

export interface LiveTerminalOptions {
  readonly id: string
  readonly directory: string
  readonly socket: string
  readonly scrollbackLines: number
  /** `undefined`: the holder is gone. */
  readonly connection: HolderConnection | undefined
  /** Its program was just started, so nothing of its screen is drawn from disk. */
  readonly isNew?: boolean
}

const defaultSize: Size = { cols: 80, rows: 24 }
/** Limits for output that waits for the screen. Beyond them, the hub stops reading from the holder. */
const maxUndrawn = { bytes: 2 * 1024 * 1024, ms: 100 }
/** A resize counts as so many bytes, since it rewraps all lines. */
const resizeCost = 32 * 1024
/** How often a screen that is behind looks how far, and whether its program has ended. */
const lookEveryMs = 50
const leftOutMessage =
  'The screen left out some output, because it came faster than it can be drawn. read_output has all of it.'
const tailBytes = 256 * 1024
const sliceBytes = 256 * 1024
/** A program no longer waits for an answer from its terminal after this time, and would read it as typed input. */
const answerWithinMs = 5_000

export function createLiveTerminal({ id, directory, scrollbackLines, ...options }: LiveTerminalOptions): Terminal {
  const journal = join(directory, journalFolder)
  const listeners = new Set<() => void>()
  let fault = options.connection?.tooOld ?? options.connection?.hello.fault
  let snapshots: Snapshots | undefined
  let undrawn = 0
  let isPaused = false
  let looking: NodeJS.Timeout | undefined
  let isLeavingOut = false
  let hasLeftOut = false
  /** After the end of the program: the drawing of the output that only the journal has. */
  let rest: Promise<void> | undefined

  const holder = followHolder({
    directory,
    socket: options.socket,
    connection: options.connection,
    listeners: {
      offset: () => tail.end,
      onOutput: receive,
      onResize(size) {
        undrawn += resizeCost
        lazy.drawn.resize(size)
        void lazy.drawn.settled().then(() => drawn(resizeCost))
        if (!isPaused && isBehind(1)) pause()
      },
      onFault(message) {
        fault = message
        notify()
      },
      onEnd,
    },
  })
  const { status } = holder
  const end =
    options.connection?.hello.offset ?? (status.is === 'exited' ? status.offset : journalBounds(journal).offset)
  let tail = createOutputTail(end, tailBytes)
  const lazy = createLazyScreen(restore, (screen, from) => {
    snapshots = createSnapshots(directory, screen, from)
    tail = createOutputTail(screen.offset, tailBytes)
    if (holder.status.is === 'running') holder.attach()
    else drawToEnd()
    // Short, unless the program has ended meanwhile.
    if (screen.offset >= tail.end || readJournal(journal, screen.offset, 1).bytes.length === 0) screen.flush()
    queueMicrotask(notify)
  })

  function restore(): Restoring {
    const isRunning = holder.status.is === 'running'
    return restoreScreen({
      journal,
      snapshot: readSnapshot(directory),
      // A program that prints without end is not followed to its end here.
      end: options.isNew ? 0 : isRunning ? Math.max(end, journalBounds(journal).offset) : end,
      answerFrom: isRunning
        ? Math.max(options.connection?.hello.answered ?? 0, recentOffset())
        : Number.POSITIVE_INFINITY,
      size: options.connection?.hello.size ?? defaultSize,
      scrollbackLines,
      onAnswer(bytes, offset) {
        const { connection } = holder
        if (connection?.tooOld === undefined) connection?.answer(offset, bytes)
      },
      onFault: recordFailure,
    })
  }

  /** The offset of the output of the last few seconds. */
  function recentOffset(): number {
    const since = Date.now() - answerWithinMs
    return readIndexes(journal, { from: end, kinds: ['output'] }).find(({ at }) => at >= since)?.offset ?? end
  }

  /** Records that drawing failed. The next use of the screen fails again. */
  function recordFailure(error: unknown): void {
    fault = `The screen could not be drawn: ${messageOf(error)}`
    // A listener may read the screen, which is being drawn right now.
    queueMicrotask(notify)
  }

  function notify(): void {
    for (const listener of listeners) listener()
  }

  function receive(offset: number, bytes: Buffer): void {
    // After a jump, the holder may send again what is known.
    const known = Math.max(0, Math.min(tail.end - offset, bytes.length))
    const fresh = bytes.subarray(known)
    if (known > 0 && fresh.length === 0) return
    tail.add(offset + known, fresh)
    draw(offset + known, fresh)
  }

  function draw(offset: number, bytes: Buffer): void {
    const screen = lazy.drawn
    screen.skipTo(offset)
    undrawn += bytes.length
    void screen.feed(bytes).then(() => drawn(bytes.length))
    if (!isPaused && !rest && isBehind(1)) pause()
  }

  function drawn(bytes: number): void {
    undrawn -= bytes
    if (isPaused && !isBehind(0.5)) resume()
    snapshots?.update()
    notify()
  }

  function isBehind(share: number): boolean {
    const ms = undrawn * lazy.drawn.msPerByte * busyFeeders()
    return undrawn > maxUndrawn.bytes * share || ms > maxUndrawn.ms * share
  }

  function pause(): void {
    isPaused = true
    holder.connection?.pause()
    looking ??= setInterval(look, lookEveryMs).unref()
  }

  function resume(): void {
    isPaused = false
    stopLooking()
    holder.connection?.resume()
  }

  function stopLooking(): void {
    clearInterval(looking)
    looking = undefined
  }

  /** The screen is behind. */
  function look(): void {
    if (rest) notify()
    else holder.lookForEnd()
    if (isLeavingOut) return
    const { offset, msPerByte } = lazy.drawn
    const end = Math.max(tail.end, journalBounds(journal).offset)
    const from = endWorthDrawing({ offset, end, msPerByte, screens: busyFeeders() })
    if (from !== undefined) leaveOut(from)
  }

  function leaveOut(from: number): void {
    hasLeftOut = true
    isLeavingOut = true
    void lazy.drawn.leaveOutTo(from).then(() => (isLeavingOut = false))
    if (rest) return drawRest(from)
    const received = tail
    if (from >= received.end) {
      tail = createOutputTail(from, tailBytes)
      holder.connection?.attach(from)
      return
    }
    for (let at = from; at < received.end;) {
      const { offset, bytes } = readOutput(journal, received, at, received.end - at)
      if (bytes.length === 0) break
      draw(offset, bytes)
      at = offset + bytes.length
    }
  }

  function onEnd(): void {
    isPaused = false
    if (snapshots) drawToEnd()
    else void (lazy.begun?.settled() ?? Promise.resolve()).then(notify)
  }

  /** Output that the holder could not send any more is in the journal. */
  function drawToEnd(): void {
    const from = tail.end
    const end = Math.max(journalBounds(journal).offset, holder.status.is === 'exited' ? holder.status.offset : 0)
    if (end > from) tail = createOutputTail(end, tailBytes)
    drawRest(from)
    looking ??= setInterval(look, lookEveryMs).unref()
    look()
    // A stop does not wait for the screen.
    if (lazy.drawn.offset < end) queueMicrotask(notify)
  }

  function drawRest(from: number): void {
    let next = from
    const drawing = (rest = lazy.drawn.feedFrom(() => {
      const { offset, bytes } = readJournal(journal, next, sliceBytes)
      next = offset + bytes.length
      // If the disk did not take the last output, only the holder had it.
      return bytes.length > 0 ? { offset, bytes } : { offset: tail.end, bytes }
    }))
    void drawing.then(() => {
      // It was left out, and another one draws the end.
      if (rest !== drawing) return
      stopLooking()
      snapshots?.write()
      notify()
    })
  }

  return {
    id,
    directory,
    draw: () => lazy.draw().catch(recordFailure),
    get screen() {
      return lazy.drawn
    },
    get size() {
      const { begun } = lazy
      if (begun) return begun.size
      return options.connection?.hello.size ?? lastSize(journal) ?? defaultSize
    },
    get status() {
      return holder.status
    },
    get offset() {
      return tail.end
    },
    get firstOffset() {
      return journalBounds(journal).firstOffset
    },
    get fault() {
      return fault ?? (hasLeftOut ? leftOutMessage : undefined)
    },
    readOutput: (since, maxBytes) => readOutput(journal, tail, since, maxBytes),
    history: (given) => openHistory(journal, lazy.drawn, given),
    write: (bytes) => holder.requireConnection().write(bytes),
    resize(size) {
      // Reading the screen attaches to the holder, which reports a resize only to attached viewers.
      void lazy.drawn
      holder.requireConnection().resize(size)
    },
    signal: (name) => holder.requireConnection().signal(name),
    releaseProgram: () => holder.requireConnection().release(),
    otherProcesses: () =>
      findOtherProcesses(holder.requireConnection().hello.childPid, () => holder.status.is === 'running'),
    get isDrawn() {
      return lazy.isDrawn
    },
    foreground: () => foregroundOf(holder.status),
    foregroundPrograms: () => foregroundPrograms(holder.status),
    workingDirectory: async () => lazy.drawn.workingDirectory ?? (await workingDirectoryOf(holder.status)),
    isIdle: () => isIdle(holder.status, lazy.drawn.shellState),
    hidesInput: () => hidesInput(holder.status),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    recordedTimes: () => readRecordedTimes(journal),
    screenAt: (offset) => earlierScreen(journal, offset),
    exportRecording(path, about) {
      const exit = holder.status.is === 'exited' ? holder.status : undefined
      return exportRecording(journal, path, { end: tail.end, exit }, about)
    },
    release() {
      listeners.clear()
      stopLooking()
      snapshots?.write()
      holder.close()
      lazy.stop()
    },
  }
}

function lastSize(journal: string): Size | undefined {
  return readIndexes(journal, { from: Number.POSITIVE_INFINITY, kinds: ['begin', 'resize'] }).at(-1)
}
