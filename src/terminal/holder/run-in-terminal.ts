/** Runs a program in a PTY, or in tmux. */
import { constants } from 'node:os'
import { openJournalWriter } from '../journal/journal-writer.ts'
import type { PtyListeners } from '../pty/pty.ts'
import { startPty } from '../pty/pty.ts'
import { type Size, boundedSize } from '../pty/size.ts'
import { startInTmux } from '../tmux/tmux-pty.ts'
import type { HolderParts, RunningProgram } from './running-program.ts'
import type { ProgramSpec } from './task.ts'

/** Far more than a program that starts asks for. */
const maxUnreadAnswers = 64 * 1024

export async function runInTerminal(program: ProgramSpec, parts: HolderParts): Promise<RunningProgram> {
  const { directory, journalDirectory, limits, viewers, show, report, end } = parts
  let size: Size = { cols: program.cols, rows: program.rows }
  const journal = openJournalWriter({ directory: journalDirectory, limits, size })
  let isDiskFull = false
  let answered = 0
  let unreadAnswers = 0

  const listeners: PtyListeners = {
    onOutput(bytes) {
      const { offset } = journal
      const isKept = journal.append(bytes)
      if (isKept === isDiskFull) updateDiskState(isKept)
      show(offset, bytes)
    },
    onResize(given) {
      // A program in tmux can set any size on its own terminal.
      const next = boundedSize(given)
      if (next.cols === size.cols && next.rows === size.rows) return
      size = next
      journal.recordResize(next)
      const { offset } = journal
      for (const viewer of viewers) viewer.resized({ ...next, offset })
    },
    onExit({ signal, ...how }) {
      end({ ...how, offset: journal.offset, signal: signal === null ? null : signalName(signal) })
    },
  }
  const pty = 'tmux' in program ? await startInTmux(program, directory, listeners) : startPty(program, listeners)

  function updateDiskState(isKept: boolean): void {
    isDiskFull = !isKept
    report(
      isKept
        ? `The disk was full for a while: ${journal.lostBytes} bytes of output were shown but not saved.`
        : 'The disk is full: output is shown but not saved. Free some disk space to save it again.',
    )
  }

  return {
    pid: pty.pid,
    journal,
    hello: () => ({ size, answered }),
    listenersFor: (viewer) => ({
      onSignal: (name) => pty.signal(name),
      onInput: (bytes) => pty.write(bytes, () => viewer().taken(bytes.length)),
      onAnswer(offset, bytes) {
        // Two hubs may have read the question. One answer is enough.
        if (offset <= answered || pty.answersItself) return
        answered = offset
        // A program that asks without end and never reads.
        if (unreadAnswers + bytes.length > maxUnreadAnswers) return
        unreadAnswers += bytes.length
        pty.write(bytes, () => (unreadAnswers -= bytes.length))
      },
      onResize(next) {
        if (next.cols !== size.cols || next.rows !== size.rows) pty.resize(next)
      },
      onRelease() {
        pty.release?.().catch((error: Error) => report(`The pane was not released: ${error.message}`))
      },
    }),
  }
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`
}
