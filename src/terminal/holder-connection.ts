/** The hub's end of a holder's socket. */
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Exit, Frame, Hello, Size } from './holder/frames.ts'
import {
  createFrameReader,
  decodeAt,
  decodeJson,
  encodeAt,
  encodeFrame,
  encodeJson,
  frameKind,
  protocolVersion,
} from './holder/frames.ts'

export interface HolderConnection {
  readonly hello: Hello
  /** Set where the holder is too old to be spoken to: it is shown, and left alone. */
  readonly tooOld: string | undefined
  /** Who listens from now on; nothing is sent before `attach`, but it may be closed. */
  listen(listeners: HolderListeners): void
  attach(from: number): void
  /** Throws when the program leaves too much unread. */
  write(bytes: Buffer): void
  /** What the program asked its terminal up to `offset` is answered. */
  answer(offset: number, bytes: Buffer): void
  resize(size: Size): void
  signal(name: NodeJS.Signals): void
  /** Holds the holder's output back while the screen catches up. */
  pause(): void
  resume(): void
  close(): void
}

export interface HolderListeners {
  onOutput(offset: number, bytes: Buffer): void
  onResize(size: Size): void
  onExit(exit: Exit): void
  onFault(message: string): void
  /** The socket was closed; after `onExit` if the program ended. */
  onClose(): void
}

/** Long, since a busy machine is no reason to take a holder for gone. */
const answerWithinMs = 30_000
/** A program that does not read what is typed has so much of it kept for it. */
export const maxUnreadBytes = 8 * 1024 * 1024
const inputFrameBytes = 64 * 1024

/** `undefined`: nobody is there. Throws where that is not certain: what keeps us from a holder may pass. */
export async function connectToHolder(path: string): Promise<HolderConnection | undefined> {
  const socket = await open(path)
  if (!socket) return undefined
  let listeners: HolderListeners | undefined
  /** What was typed and not yet taken by the terminal. */
  let unread = 0
  let isClosed = false
  let isGreeted = false
  let isSilent = false
  let greet: (hello: Hello | undefined) => void = () => {}
  const greeted = new Promise<Hello | undefined>((resolve) => (greet = resolve))

  function receive({ kind, payload }: Frame): void {
    switch (kind) {
      case frameKind.hello:
        return greet(decodeJson(payload) as Hello)
      case frameKind.output: {
        const { offset, bytes } = decodeAt(payload)
        return listeners?.onOutput(offset, bytes)
      }
      case frameKind.resize:
        return listeners?.onResize(decodeJson(payload) as Size)
      case frameKind.exit:
        return listeners?.onExit(decodeJson(payload) as Exit)
      case frameKind.fault:
        return listeners?.onFault((decodeJson(payload) as { message: string }).message)
      case frameKind.taken:
        unread -= (decodeJson(payload) as { bytes: number }).bytes
        return
      default:
      // From a newer holder.
    }
  }

  const giveUp = () => {
    if (isGreeted) return
    isSilent = true
    socket.destroy()
  }

  const read = createFrameReader(receive)
  socket.on('data', (chunk) => {
    try {
      read(chunk)
    } catch {
      socket.destroy()
    }
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    isClosed = true
    greet(undefined)
    listeners?.onClose()
  })
  // Not at once: this process may be the busy one, and what the holder said still unread.
  const timer = setTimeout(() => setImmediate(giveUp), answerWithinMs)
  const hello = await greeted
  isGreeted = true
  clearTimeout(timer)
  if (isSilent) throw unreachable('it does not answer')
  if (!hello) return undefined

  const tooOld =
    hello.protocol === protocolVersion
      ? undefined
      : `Its holder was started by signalbox ${hello.version} and speaks protocol ${hello.protocol}; this hub speaks ${protocolVersion}.`
  return {
    hello,
    tooOld,
    listen(own) {
      listeners = own
      if (isClosed) queueMicrotask(() => own.onClose())
    },
    attach: (from) => void socket.write(encodeJson(frameKind.attach, { from })),
    write(bytes) {
      refuseIfTooMuch(unread, bytes.length)
      unread += bytes.length
      for (let start = 0; start < bytes.length; start += inputFrameBytes) {
        socket.write(encodeFrame(frameKind.input, bytes.subarray(start, start + inputFrameBytes)))
      }
    },
    answer: (offset, bytes) => void socket.write(encodeAt(frameKind.answer, offset, bytes)),
    resize: (size) => void socket.write(encodeJson(frameKind.resize, size)),
    signal: (name) => void socket.write(encodeJson(frameKind.signal, { signal: name })),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => socket.destroy(),
  }
}

function refuseIfTooMuch(unread: number, more: number): void {
  if (unread + more <= maxUnreadBytes) return
  throw more > maxUnreadBytes
    ? new HubError(
        'too-large',
        `Nothing was typed: ${more} bytes are too many at once, at most ${maxUnreadBytes} are taken.`,
      )
    : new HubError(
        'busy',
        `Nothing was typed: the program has not read the last ${unread} bytes yet. Try again when it reads, or interrupt it.`,
      )
}

function open(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', (error) => (isGone(error) ? resolve(undefined) : reject(unreachable(messageOf(error), error))))
  })
}

/** There is no such socket, or nobody behind it. Any other failure, such as too many open files, is ours. */
function isGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
}

function unreachable(why: string, cause?: unknown): HubError {
  const message = `Its holder cannot be reached now: ${why}. Its program is left as it is.`
  return new HubError('unavailable', message, { cause })
}
