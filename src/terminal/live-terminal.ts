/** One terminal: what comes from its holder goes to its screen, and what people and programs type goes to the holder. */
import { join } from 'node:path'
import { messageOf } from '../base/hub-error.ts'
import { findCompanions } from './companions.ts'
import { followHolder } from './follow-holder.ts'
import { openHistory } from './history/history.ts'
import type { Size } from './holder/frames.ts'
import { journalFolder } from './holder/journal-files.ts'
import type { HolderConnection } from './holder-connection.ts'
import { journalBounds, readIndexes, readJournal } from './journal.ts'
import { createLazyScreen } from './lazy-screen.ts'
import { createOutputTail } from './output-tail.ts'
import { foregroundOf, isIdle, workingDirectoryOf } from './program.ts'
import { readOutput } from './read-output.ts'
import { exportRecording } from './recording.ts'
import type { Restoring } from './restore.ts'
import { restoreScreen } from './restore.ts'
import type { Snapshots } from './snapshots.ts'
import { createSnapshots, readSnapshot } from './snapshots.ts'
import type { Terminal } from './terminal.ts'

export interface LiveTerminalOptions {
  readonly id: string
  readonly directory: string
  readonly socket: string
  readonly scrollbackLines: number
  /** `undefined`: the holder is gone. */
  readonly connection: HolderConnection | undefined
}

export interface LiveTerminal extends Terminal {
  /** Has its screen drawn, without holding anybody up. */
  draw(): Promise<void>
}

const defaultSize: Size = { cols: 80, rows: 24 }
/** So much may wait for the screen before the holder is held back. */
const maxUndrawnBytes = 2 * 1024 * 1024
const tailBytes = 256 * 1024
const sliceBytes = 256 * 1024
/** A program that asked its terminal something waits no longer; what came then, it would take for typed. */
const answerWithinMs = 5_000

export function createLiveTerminal({ id, directory, scrollbackLines, ...options }: LiveTerminalOptions): LiveTerminal {
  const journal = join(directory, journalFolder)
  const listeners = new Set<() => void>()
  let fault = options.connection?.tooOld ?? options.connection?.hello.fault
  let snapshots: Snapshots | undefined
  let undrawn = 0
  let isHeldBack = false

  const holder = followHolder({
    directory,
    socket: options.socket,
    connection: options.connection,
    listeners: {
      offset: () => tail.end,
      onOutput: receive,
      onResize(size) {
        lazy.drawn.resize(size)
        void lazy.drawn.settled().then(tell)
      },
      onFault(message) {
        fault = message
        tell()
      },
      onEnd,
    },
  })
  const { life } = holder
  const end = options.connection?.hello.offset ?? (life.is === 'exited' ? life.offset : journalBounds(journal).offset)
  let tail = createOutputTail(end, tailBytes)
  const lazy = createLazyScreen(restore, (screen, from) => {
    snapshots = createSnapshots(directory, screen, from)
    tail = createOutputTail(screen.offset, tailBytes)
    if (holder.life.is === 'running') holder.attach()
    else skipLost()
    screen.flush()
    queueMicrotask(tell)
  })

  function restore(): Restoring {
    const isHeld = holder.life.is === 'running'
    return restoreScreen({
      journal,
      snapshot: readSnapshot(directory),
      end,
      answerFrom: isHeld ? Math.max(options.connection?.hello.answered ?? 0, recentOffset()) : Number.POSITIVE_INFINITY,
      size: options.connection?.hello.size ?? defaultSize,
      scrollbackLines,
      onAnswer(bytes, offset) {
        const { connection } = holder
        if (connection?.tooOld === undefined) connection?.answer(offset, bytes)
      },
      onFault: noteFailure,
    })
  }

  /** Where the output begins that came in the last few seconds. */
  function recentOffset(): number {
    const since = Date.now() - answerWithinMs
    return readIndexes(journal, { from: end, kinds: ['output'] }).find(({ at }) => at >= since)?.offset ?? end
  }

  /** Of drawing it. Whoever asks for the screen hears of it again. */
  function noteFailure(error: unknown): void {
    fault = `The screen could not be drawn: ${messageOf(error)}`
    // Who is told may look at the screen, which is in the middle of it.
    queueMicrotask(tell)
  }

  function tell(): void {
    for (const listener of listeners) listener()
  }

  function receive(offset: number, bytes: Buffer): void {
    tail.add(offset, bytes)
    const screen = lazy.drawn
    screen.skipTo(offset)
    undrawn += bytes.length
    if (undrawn > maxUndrawnBytes && !isHeldBack) {
      isHeldBack = true
      holder.connection?.pause()
    }
    void screen.feed(bytes).then(() => {
      undrawn -= bytes.length
      if (isHeldBack && undrawn < maxUndrawnBytes / 2) {
        isHeldBack = false
        holder.connection?.resume()
      }
      snapshots?.note()
      tell()
    })
  }

  /** What the holder could not send any more is in the journal. */
  function onEnd(): void {
    if (snapshots) {
      for (;;) {
        const { offset, bytes } = readJournal(journal, tail.end, sliceBytes)
        if (bytes.length === 0) break
        receive(offset, bytes)
      }
      skipLost()
    }
    void (lazy.begun?.settled() ?? Promise.resolve()).then(() => {
      snapshots?.write()
      tell()
    })
  }

  /** Where the disk did not take the end, the holder was the last to have it. */
  function skipLost(): void {
    const { life } = holder
    if (life.is === 'exited' && life.offset > tail.end) receive(life.offset, Buffer.alloc(0))
  }

  return {
    id,
    directory,
    draw: () => lazy.draw().catch(noteFailure),
    get screen() {
      return lazy.drawn
    },
    get size() {
      const { begun } = lazy
      if (begun) return begun.size
      return options.connection?.hello.size ?? sizeAtTheEnd(journal) ?? defaultSize
    },
    get life() {
      return holder.life
    },
    get offset() {
      return tail.end
    },
    get firstOffset() {
      return journalBounds(journal).firstOffset
    },
    get fault() {
      return fault
    },
    readOutput: (since, maxBytes) => readOutput(journal, tail, since, maxBytes),
    history: () => openHistory(journal, lazy.drawn),
    write: (bytes) => holder.reach().write(bytes),
    resize(size) {
      // Attached by then: who is not yet attached is not told when it is so.
      void lazy.drawn
      holder.reach().resize(size)
    },
    signal: (name) => holder.reach().signal(name),
    companions: () => findCompanions(holder.reach().hello.childPid, () => holder.life.is === 'running'),
    get isDrawn() {
      return lazy.isDrawn
    },
    foreground: () => foregroundOf(holder.life),
    workingDirectory: async () => lazy.drawn.workingDirectory ?? (await workingDirectoryOf(holder.life)),
    isIdle: () => isIdle(holder.life, lazy.drawn.shellState),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    exportRecording: (path) =>
      exportRecording(journal, path, { end: tail.end, exit: holder.life.is === 'exited' ? holder.life : undefined }),
    release() {
      listeners.clear()
      snapshots?.write()
      holder.close()
      lazy.stop()
    },
  }
}

function sizeAtTheEnd(journal: string): Size | undefined {
  return readIndexes(journal, { from: Number.POSITIVE_INFINITY, kinds: ['begin', 'resize'] }).at(-1)
}
