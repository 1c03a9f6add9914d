/**
 * One connection to a holder. It is sent output from where it asked, live while it keeps up; when it does not, nothing
 * is queued for it: it catches up from the journal. So a slow reader costs neither memory nor anybody's time.
 */
import type { Socket } from 'node:net'
import type { Output } from '../read-output.ts'
import type { Exit, Frame, Size } from './frames.ts'
import { createFrameReader, decodeAt, decodeJson, encodeAt, encodeJson, frameKind } from './frames.ts'
import type { JournalWriter } from './journal-writer.ts'

export interface Viewer {
  output(offset: number, bytes: Buffer): void
  resized(size: Size & { readonly offset: number }): void
  exit(exit: Exit): void
  fault(message: string): void
  /** So much of its input has been taken. */
  taken(bytes: number): void
  close(): void
}

export interface ViewerListeners {
  onInput(bytes: Buffer): void
  onAnswer(offset: number, bytes: Buffer): void
  onResize(size: Size): void
  onSignal(name: NodeJS.Signals): void
}

export interface ViewerOptions {
  readonly connection: Socket
  readonly journal: Pick<JournalWriter, 'offset'>
  /** Output from an offset on. */
  readonly read: (since: number, maxBytes: number) => Output
  readonly listeners: ViewerListeners
}

const sliceBytes = 256 * 1024

export function serveViewer({ connection, journal, read, listeners }: ViewerOptions): Viewer {
  /** The next byte it has not been sent; `undefined` until it asks. */
  let next: number | undefined
  let exited: Exit | undefined
  /** A size holds from its offset on: who lags behind hears of it when it gets there. */
  const sizes: (Size & { readonly offset: number })[] = []

  function receive({ kind, payload }: Frame): void {
    switch (kind) {
      case frameKind.attach:
        next = (decodeJson(payload) as { from: number }).from
        return catchUp()
      case frameKind.input:
        return listeners.onInput(payload)
      case frameKind.answer: {
        const { offset, bytes } = decodeAt(payload)
        return listeners.onAnswer(offset, bytes)
      }
      case frameKind.resize:
        return listeners.onResize(decodeJson(payload) as Size)
      case frameKind.signal:
        return listeners.onSignal((decodeJson(payload) as { signal: NodeJS.Signals }).signal)
      default:
      // From a newer hub; what it means by it is not ours to guess.
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

  /** What goes wrong with one viewer is no matter of the program's or the others'. */
  function orPart(action: () => void): void {
    try {
      action()
    } catch {
      connection.destroy()
    }
  }

  const take = createFrameReader(receive)
  connection.on('data', (chunk) => orPart(() => take(chunk)))
  connection.on('drain', () => orPart(catchUp))
  connection.on('error', () => connection.destroy())

  return {
    output(offset, bytes) {
      if (next !== offset || connection.writableNeedDrain) return
      connection.write(encodeAt(frameKind.output, offset, bytes))
      next = offset + bytes.length
    },
    resized(size) {
      if (next === undefined) return
      sizes.push(size)
      sendSizes(next)
    },
    exit(exit) {
      exited = exit
      orPart(catchUp)
    },
    fault: (message) => void connection.write(encodeJson(frameKind.fault, { message })),
    taken: (bytes) => void connection.write(encodeJson(frameKind.taken, { bytes })),
    close() {
      if (next === undefined) connection.end()
    },
  }
}
