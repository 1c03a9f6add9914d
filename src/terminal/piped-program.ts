/**
 * A program on pipes. It has no screen, but lines of output from any offset, and numbered input that is recorded.
 *
 *   program → stdout → holder (journal) → socket → readers, each from its own offset
 *   write → socket → holder (record) → acknowledged, and on to the program's stdin
 */
import { join } from 'node:path'
import { HubError } from '../base/hub-error.ts'
import { createLineReader } from '../base/lines.ts'
import type { HolderFollower } from './follow-holder.ts'
import { followHolder } from './follow-holder.ts'
import type { InputState } from './holder/frames.ts'
import { readStderr } from './holder/stderr-file.ts'
import type { FoundHolder } from './holders.ts'
import type { RecordedInput } from './journal/journal-files.ts'
import { journalFolder } from './journal/journal-files.ts'
import { journalBounds, lastInputSequence, readInputs } from './journal/journal.ts'
import { createOutputTail } from './journal/output-tail.ts'
import type { Output } from './journal/read-output.ts'
import { readOutput } from './journal/read-output.ts'
import type { InputOptions, InputOutcome } from './piped-input.ts'
import { createPipedInput } from './piped-input.ts'

export interface PipedProgram {
  readonly id: string
  /** The folder with its journal. */
  readonly directory: string
  readonly status: HolderFollower['status']
  /** A problem that people should know about, such as a full disk. */
  readonly fault: string | undefined
  /** The offset of the next byte of output. */
  readonly offset: number
  /** The offset of the oldest byte that is still kept. */
  readonly firstOffset: number
  readonly input: InputState
  /**
   * Resolves when the input is recorded, which survives a kill of hub and holder. The program then gets it exactly
   * once, unless it ends first. If this hub ends before that, the next hub checks `input.sequence`: input with a higher
   * number was not written and never will be.
   */
  write(text: string, options: InputOptions): Promise<InputOutcome>
  /** Closes the program's input after everything written before. */
  closeInput(): void
  /** Output from an offset; cheap for a reader that keeps up. */
  readOutput(since: number, maxBytes: number): Output
  /**
   * Complete lines from an offset, as they arrive, until the program has ended or was released. Text after the last
   * newline is not included: a later reader starts at the `end` of the last line.
   */
  lines(since: number, signal?: AbortSignal): AsyncGenerator<OutputLine, void>
  /**
   * Output before this offset may be dropped when the journal is full. Later output is never dropped: the program is
   * paused instead, until more is processed.
   */
  processed(offset: number): void
  /** The input after this sequence number, as far as it is kept, each with its output offset. */
  inputs(after: number): Iterable<RecordedInput>
  /** The last 256 KiB of standard error. */
  stderr(): Buffer
  /** Signals the whole process group of the program. */
  signal(name: NodeJS.Signals): void
  /** Called on new output and when status, input state or fault changes. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
  /** Disconnects from the program. Its holder continues. */
  release(): void
}

export interface OutputLine {
  /** Without its line ending. */
  readonly bytes: Buffer
  /** The offset of the next line. */
  readonly end: number
}

export interface PipedProgramOptions extends FoundHolder {
  readonly id: string
  /** A longer line might fill the journal, and the program would wait for ever to finish it. */
  readonly maxLineBytes: number
}

const tailBytes = 256 * 1024
/** May be as many lines, each of which takes a hundred bytes more. */
const sliceBytes = 64 * 1024

/** Resolves when it is known which input was recorded. */
export async function openPipedProgram({
  id,
  directory,
  maxLineBytes,
  ...found
}: PipedProgramOptions): Promise<PipedProgram> {
  const journal = join(directory, journalFolder)
  const listeners = new Set<() => void>()
  const released = new AbortController()
  const claimDone = Promise.withResolvers<void>()
  const input = createPipedInput(claimDone.resolve)
  let fault = found.connection?.tooOld ?? found.connection?.hello.fault
  let tail = createOutputTail(found.connection?.hello.offset ?? 0, tailBytes)
  let processedTo = 0

  const holder = followHolder({
    ...found,
    directory,
    listeners: {
      offset: () => tail.end,
      onOutput(offset, bytes) {
        tail.add(offset, bytes)
        notify()
      },
      onResize: () => {},
      onInputState(state) {
        input.onState(state)
        notify()
      },
      onInputRefused: input.onRefused,
      onReconnected: claim,
      onFault(message) {
        fault = message
        notify()
      },
      onEnd,
    },
  })

  function claim(): void {
    const { connection } = holder
    if (!connection || connection.tooOld !== undefined) return claimDone.resolve()
    input.claim(connection)
    if (processedTo > 0) connection.processed(processedTo)
  }

  /** Output that the holder could not send any more is in the journal. */
  function onEnd(): void {
    tail = createOutputTail(journalBounds(journal).offset, tailBytes)
    input.end(recordedOnDisk(), 'The program has ended. Its output can still be read.')
    notify()
  }

  function recordedOnDisk(): InputState {
    return { sequence: lastInputSequence(journal), unreadBytes: 0, isClosed: true }
  }

  function notify(): void {
    for (const listener of listeners) listener()
  }

  const program: PipedProgram = {
    id,
    directory,
    get status() {
      return holder.status
    },
    get fault() {
      return fault
    },
    get offset() {
      return tail.end
    },
    get firstOffset() {
      return journalBounds(journal).firstOffset
    },
    get input() {
      return input.state
    },
    write: input.write,
    closeInput: input.close,
    readOutput: (since, maxBytes) => readOutput(journal, tail, since, maxBytes),
    lines(since, signal) {
      const stop = signal ? AbortSignal.any([signal, released.signal]) : released.signal
      return linesOf(program, since, { maxLineBytes, signal: stop })
    },
    processed(offset) {
      processedTo = offset
      holder.connection?.processed(offset)
    },
    inputs: (after) => readInputs(journal, after),
    stderr: () => readStderr(directory),
    signal: (name) => holder.requireConnection().signal(name),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    release() {
      released.abort()
      listeners.clear()
      holder.close()
      input.end(
        input.state,
        'The hub has released the program. The next hub that adopts it will know whether this input was recorded.',
      )
    },
  }

  if (holder.status.is === 'running') {
    holder.attach()
    claim()
  } else {
    onEnd()
  }
  await claimDone.promise
  return program
}

interface LineOptions {
  readonly maxLineBytes: number
  readonly signal: AbortSignal
}

async function* linesOf(
  program: PipedProgram,
  since: number,
  { maxLineBytes, signal }: LineOptions,
): AsyncGenerator<OutputLine, void> {
  const lines: OutputLine[] = []
  let end = since
  let isTooLong = false
  const reader = createLineReader({
    maxBytes: maxLineBytes,
    onLine(bytes, size) {
      end += size
      if (!isTooLong) lines.push({ bytes, end })
    },
    onTooLong: () => (isTooLong = true),
  })
  for (let next = since; !signal.aborted;) {
    const hasEnded = program.status.is !== 'running'
    const { offset, bytes: chunk, droppedBytes } = program.readOutput(next, sliceBytes)
    if (droppedBytes > 0) {
      throw new HubError('unavailable', `${droppedBytes} bytes of output from offset ${next} are no longer kept.`)
    }
    if (chunk.length === 0 && hasEnded) return
    if (chunk.length === 0) await nextChange(program, signal)
    next = offset + chunk.length
    reader.feed(chunk)
    yield* lines.splice(0)
    if (isTooLong) throw new HubError('too-large', `The program wrote a line longer than ${maxLineBytes} bytes.`)
  }
}

async function nextChange(program: PipedProgram, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = program.onChange(resolve)
  const wake = () => resolve()
  signal.addEventListener('abort', wake)
  await promise
  stop()
  signal.removeEventListener('abort', wake)
}
