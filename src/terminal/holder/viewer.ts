/**
 * One connection to a holder. It gets output from the requested offset, live while it keeps up. For a slow reader
 * nothing is queued: it catches up from the journal. So a slow reader costs no memory, and delays no other reader.
 */
import type { Socket } from 'node:net'
import type { Exit } from '../journal/journal-files.ts'
import type { JournalWriter } from '../journal/journal-writer.ts'
import type { Output } from '../journal/read-output.ts'
import type { Size } from '../pty/size.ts'
import type { Frame, InputState, RefusedInput, SequencedInput } from './frames.ts'
import { readCount, readSignal, readSize } from './frame-contents.ts'
import { createFrameReader, decodeAt, encodeAt, encodeJson, frameKind } from './frames.ts'

export interface Viewer {
  output(offset: number, bytes: Buffer): void
  resized(size: Size & { readonly offset: number }): void
  exit(exit: Exit): void
  fault(message: string): void
  /** Reports that this many bytes of input have been taken. */
  taken(bytes: number): void
  inputState(state: InputState): void
  inputRefused(refused: RefusedInput): void
  close(): void
}

/** Listeners that do not fit the kind of program are left out, and their frames are ignored. */
export interface ViewerListeners {
  onSignal(name: NodeJS.Signals): void
  onInput?(bytes: Buffer): void
  onAnswer?(offset: number, bytes: Buffer): void
  onResize?(size: Size): void
  onRelease?(): void
  onClaimInput?(): void
  onRecordedInput?(input: SequencedInput): void
  onCloseInput?(): void
  onProcessed?(offset: number): void
}

export interface ViewerOptions {
  readonly connection: Socket
  readonly journal: Pick<JournalWriter, 'offset'>
  /** Reads output from an offset. */
  readonly read: (since: number, maxBytes: number) => Output
  readonly listeners: ViewerListeners
}

const sliceBytes = 256 * 1024
/** A hub sends at most half of this before the terminal has taken it. */
const maxUnreadBytes = 16 * 1024 * 1024
/** For a viewer that lags behind. Of more, it gets the latest. */
const maxSizes = 1_000

export function serveViewer({ connection, journal, read, listeners }: ViewerOptions): Viewer {
  /** The offset of the next byte to send; `undefined` before `attach`. */
  let next: number | undefined
  let exited: Exit | undefined
  /** Input of this viewer that the terminal has not taken. */
  let unread = 0
  /** A size takes effect at its offset, so a viewer that lags behind gets it when it reaches that offset. */
  const sizes: (Size & { readonly offset: number })[] = []

  function receive({ kind, payload }: Frame): void {
    switch (kind) {
      case frameKind.attach:
        next = readCount(payload, 'from')
        return catchUp()
      case frameKind.input:
        unread += payload.length
        if (unread > maxUnreadBytes) throw new Error('The program does not read its input.')
        return listeners.onInput?.(payload)
      case frameKind.answer: {
        const { offset, bytes } = decodeAt(payload)
        return listeners.onAnswer?.(offset, bytes)
      }
      case frameKind.resize:
        return listeners.onResize?.(readSize(payload))
      case frameKind.signal:
        return listeners.onSignal(readSignal(payload))
      case frameKind.release:
        return listeners.onRelease?.()
      case frameKind.claimInput:
        return listeners.onClaimInput?.()
      case frameKind.recordedInput:
      case frameKind.secretInput: {
        const { offset: sequence, bytes } = decodeAt(payload)
        return listeners.onRecordedInput?.({ sequence, bytes, isSecret: kind === frameKind.secretInput })
      }
      case frameKind.closeInput:
        return listeners.onCloseInput?.()
      case frameKind.processed:
        return listeners.onProcessed?.(readCount(payload, 'offset'))
      default:
      // A kind from a newer hub.
    }
  }

  function catchUp(): void {
    while (next !== undefined && next < journal.offset && !connection.writableNeedDrain) {
      const { offset, bytes } = read(next, sliceBytes)
      sendSizes(offset)
      const end = Math.min(offset + bytes.length, sizes[0]?.offset ?? Number.POSITIVE_INFINITY)
      connection.write(encodeAt(frameKind.output, offset, bytes.subarray(0, end - offset)))
      next = end
    }
    if (next !== undefined) sendSizes(next)
    if (exited && next !== undefined && next >= journal.offset) finish(exited)
  }

  function sendSizes(upTo: number): void {
    while (sizes[0] && sizes[0].offset <= upTo) connection.write(encodeJson(frameKind.resize, sizes.shift()!))
  }

  function finish(exit: Exit): void {
    exited = undefined
    connection.end(encodeJson(frameKind.exit, exit))
  }

  /** A failure of one viewer must not affect the program or other viewers. */
  function orDisconnect(action: () => void): void {
    try {
      action()
    } catch {
      connection.destroy()
    }
  }

  const take = createFrameReader(receive)
  connection.on('data', (chunk) => orDisconnect(() => take(chunk)))
  connection.on('drain', () => orDisconnect(catchUp))
  connection.on('error', () => connection.destroy())

  return {
    output(offset, bytes) {
      if (next !== offset || connection.writableNeedDrain) return
      connection.write(encodeAt(frameKind.output, offset, bytes))
      next = offset + bytes.length
    },
    resized(size) {
      if (next === undefined) return
      if (sizes.at(-1)?.offset === size.offset) sizes.pop()
      if (sizes.length === maxSizes) sizes.shift()
      sizes.push(size)
      sendSizes(next)
    },
    exit(exit) {
      exited = exit
      orDisconnect(catchUp)
    },
    fault: (message) => void connection.write(encodeJson(frameKind.fault, { message })),
    taken(bytes) {
      unread -= bytes
      connection.write(encodeJson(frameKind.taken, { bytes }))
    },
    inputState: (state) => void connection.write(encodeJson(frameKind.inputState, state)),
    inputRefused: (refused) => void connection.write(encodeJson(frameKind.inputRefused, refused)),
    close() {
      if (next === undefined) connection.end()
    },
  }
}
