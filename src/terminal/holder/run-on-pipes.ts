/**
 * Runs a program on pipes. Its standard output goes to the journal, and its standard error to a file of its own. Input
 * from the hub is recorded before it is written: acknowledged input is recorded, and recorded input is written exactly
 * once, as long as holder and program live. Input with a number that is already recorded is ignored. So a hub that was
 * killed asks for the last number and continues after it.
 */
import type { InputState, SequencedInput } from './frames.ts'
import type { HolderParts, RunningProgram } from './running-program.ts'
import { createInputLog } from '../journal/input-log.ts'
import { openJournalWriter } from '../journal/journal-writer.ts'
import { createOutputRecorder } from './output-recorder.ts'
import type { Size } from '../pty/size.ts'
import type { PipesSpec } from './pipes.ts'
import { startPipes } from './pipes.ts'
import { createStderrFile } from './stderr-file.ts'
import type { Viewer } from './viewer.ts'

/** A journal records the size of its screen. A program on pipes has none, so this is a placeholder. */
const size: Size = { cols: 80, rows: 24 }

export async function runOnPipes(program: PipesSpec, parts: HolderParts): Promise<RunningProgram> {
  const { directory, journalDirectory, limits, show, report, end } = parts
  const journal = openJournalWriter({ directory: journalDirectory, limits, size, keepFrom: 0 })
  const log = createInputLog(journalDirectory, limits)
  /** The last viewer that claimed the input. Input that an earlier hub left in its socket is ignored. */
  let writer: Viewer | undefined
  let unreadBytes = 0

  const recorder = createOutputRecorder({
    journal,
    child: () => child,
    onRecorded: show,
    onDiskFull: (isFull) =>
      report(
        isFull
          ? 'The disk is full, so the program is paused. Free some disk space to let it continue.'
          : 'The disk was full for a while, and the program was paused. No output is lost.',
      ),
  })
  const child = await startPipes(program, {
    onOutput: recorder.record,
    onStderr: createStderrFile(directory),
    onInputClosed: sendState,
    onExit: (exit) => end({ ...exit, offset: journal.offset }),
  })

  function inputState(): InputState {
    return { sequence: log.sequence, unreadBytes, isClosed: child.isInputClosed }
  }

  /** To the writer only: the first state that a connection gets is the answer to its claim. */
  function sendState(): void {
    writer?.inputState(inputState())
  }

  function take({ sequence, bytes, isSecret }: SequencedInput): void {
    if (sequence <= log.sequence) return sendState()
    const refusal = whyNot(sequence) ?? record({ sequence, bytes, isSecret })
    if (refusal !== undefined) return writer?.inputRefused({ sequence, message: refusal })
    unreadBytes += bytes.length
    sendState()
    child.write(bytes, () => {
      unreadBytes -= bytes.length
      sendState()
    })
  }

  function whyNot(sequence: number): string | undefined {
    if (child.isInputClosed) return 'The program accepts no more input.'
    const next = log.sequence + 1
    return sequence === next ? undefined : `Input ${sequence} arrived before input ${next}.`
  }

  /** Returns the reason if recording failed. */
  function record({ sequence, bytes, isSecret }: SequencedInput): string | undefined {
    const { offset } = journal
    const text = isSecret ? undefined : bytes.toString('utf8')
    const isRecorded = log.record({
      sequence,
      at: Date.now(),
      offset,
      bytes: bytes.length,
      ...(text !== undefined && { text }),
    })
    return isRecorded ? undefined : 'The disk is full, so nothing was written to the program. Free some disk space.'
  }

  return {
    pid: child.pid,
    journal,
    hello: () => ({ size, answered: 0, input: inputState() }),
    listenersFor(viewer) {
      const ifWriter = (action: () => void) => {
        if (viewer() === writer) action()
      }
      return {
        onSignal: (name) => child.signal(name),
        onClaimInput() {
          writer = viewer()
          sendState()
        },
        onRecordedInput: (input) => ifWriter(() => take(input)),
        onCloseInput: () => ifWriter(() => child.closeInput()),
        onProcessed(offset) {
          journal.keepFrom(offset)
          recorder.retryNow()
        },
      }
    },
  }
}
