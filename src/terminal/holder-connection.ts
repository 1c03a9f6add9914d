/** The hub's end of a holder's socket. */
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { HubError, messageOf } from '../base/hub-error.ts'
import { assertPrivateSocket } from '../base/private-socket.ts'
import {
  readCount,
  readExit,
  readHello,
  readInputState,
  readMessage,
  readRefusedInput,
  readSize,
} from './holder/frame-contents.ts'
import type { Frame, Hello, InputState, RefusedInput, SequencedInput } from './holder/frames.ts'
import {
  createFrameReader,
  decodeAt,
  encodeAt,
  encodeFrame,
  encodeJson,
  frameKind,
  protocolVersion,
} from './holder/frames.ts'
import type { Exit } from './journal/journal-files.ts'
import type { Size } from './pty/size.ts'

export interface HolderConnection {
  readonly hello: Hello
  /** Set if the protocol of the holder is too old: its screen is shown, and its program is left alone. */
  readonly tooOld: string | undefined
  /** Sets the listeners. The holder sends nothing before `attach`, but the connection may close. */
  listen(listeners: HolderListeners): void
  attach(from: number): void
  /** Throws if the program leaves too much input unread. */
  write(bytes: Buffer): void
  /** Sends the answers to all questions the program asked its terminal up to `offset`. */
  answer(offset: number, bytes: Buffer): void
  resize(size: Size): void
  signal(name: NodeJS.Signals): void
  /** Ends the holder but not the program. */
  release(): void
  /**
   * For programs on pipes: from now on only this connection may send input. `onInputState` reports what is recorded.
   */
  claimInput(): void
  writeRecorded(input: SequencedInput): void
  closeInput(): void
  /** Output before this offset may be dropped. */
  processed(offset: number): void
  /** Stops reading the holder's output while the screen catches up. */
  pause(): void
  resume(): void
  close(): void
}

export interface HolderListeners {
  onOutput(offset: number, bytes: Buffer): void
  onResize(size: Size): void
  onExit(exit: Exit): void
  onFault(message: string): void
  onInputState?(state: InputState): void
  onInputRefused?(refused: RefusedInput): void
  /** The socket was closed. Comes after `onExit` if the program ended. */
  onClose(): void
}

/** Long, since a busy machine does not mean that the holder is gone. */
const answerWithinMs = 30_000
/** The limit for input that the program has not read yet. */
export const maxUnreadBytes = 8 * 1024 * 1024
const inputFrameBytes = 64 * 1024

/** `undefined`: there is no holder. Throws if that is not certain, since the obstacle may be temporary. */
export async function connectToHolder(path: string): Promise<HolderConnection | undefined> {
  const socket = await open(path)
  if (!socket) return undefined
  let listeners: HolderListeners | undefined
  /** How many bytes were sent and not yet taken by the terminal. */
  let unread = 0
  let isClosed = false
  let hasAnswered = false
  let isSilent = false
  let resolveHello: (hello: Hello | undefined) => void = () => {}
  const firstHello = new Promise<Hello | undefined>((resolve) => (resolveHello = resolve))

  function receive({ kind, payload }: Frame): void {
    switch (kind) {
      case frameKind.hello:
        return resolveHello(readHello(payload))
      case frameKind.output: {
        const { offset, bytes } = decodeAt(payload)
        return listeners?.onOutput(offset, bytes)
      }
      case frameKind.resize:
        return listeners?.onResize(readSize(payload))
      case frameKind.exit:
        return listeners?.onExit(readExit(payload))
      case frameKind.fault:
        return listeners?.onFault(readMessage(payload))
      case frameKind.taken:
        unread -= Math.min(unread, readCount(payload, 'bytes'))
        return
      case frameKind.inputState:
        return listeners?.onInputState?.(readInputState(payload))
      case frameKind.inputRefused:
        return listeners?.onInputRefused?.(readRefusedInput(payload))
      default:
      // A kind from a newer holder.
    }
  }

  const giveUp = () => {
    if (hasAnswered) return
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
    resolveHello(undefined)
    listeners?.onClose()
  })
  // Not at once: this process may be the busy one, with the holder's answer still unread.
  const timer = setTimeout(() => setImmediate(giveUp), answerWithinMs)
  const hello = await firstHello
  hasAnswered = true
  clearTimeout(timer)
  if (isSilent) throw unreachable('it does not answer')
  if (!hello) return undefined

  const tooOld =
    hello.protocol === protocolVersion
      ? undefined
      : `Signalbox ${hello.version} started its holder, which speaks protocol ${hello.protocol}. This hub speaks ${protocolVersion}.`
  return {
    hello,
    tooOld,
    listen(own) {
      listeners = own
      if (isClosed) queueMicrotask(() => own.onClose())
    },
    attach: (from) => void socket.write(encodeJson(frameKind.attach, { from })),
    write(bytes) {
      assertFits(unread, bytes.length)
      unread += bytes.length
      for (let start = 0; start < bytes.length; start += inputFrameBytes) {
        socket.write(encodeFrame(frameKind.input, bytes.subarray(start, start + inputFrameBytes)))
      }
    },
    answer: (offset, bytes) => void socket.write(encodeAt(frameKind.answer, offset, bytes)),
    resize: (size) => void socket.write(encodeJson(frameKind.resize, size)),
    signal: (name) => void socket.write(encodeJson(frameKind.signal, { signal: name })),
    release: () => void socket.write(encodeJson(frameKind.release, {})),
    claimInput: () => void socket.write(encodeJson(frameKind.claimInput, {})),
    writeRecorded({ sequence, bytes, isSecret }) {
      socket.write(encodeAt(isSecret ? frameKind.secretInput : frameKind.recordedInput, sequence, bytes))
    },
    closeInput: () => void socket.write(encodeJson(frameKind.closeInput, {})),
    processed: (offset) => void socket.write(encodeJson(frameKind.processed, { offset })),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => socket.destroy(),
  }
}

function assertFits(unread: number, more: number): void {
  if (unread + more <= maxUnreadBytes) return
  throw more > maxUnreadBytes
    ? new HubError(
        'too-large',
        `Nothing was typed: ${more} bytes are too many at once. Send at most ${maxUnreadBytes} bytes.`,
      )
    : new HubError(
        'busy',
        `Nothing was typed: the program has not read the last ${unread} bytes yet. Try again when it reads, or interrupt it.`,
      )
}

/** Input goes to the process behind the socket, so only our own user may have created the socket. */
function open(path: string, mayRetry = true): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const fault = faultOf(path)
    if (fault) return isGone(fault) ? resolve(undefined) : reject(unreachable(messageOf(fault), fault))
    const socket = connect(path)
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // The holder is closing its socket. The next attempt tells whether it is gone.
      if (error.code === 'ECONNRESET' && mayRetry) return resolve(open(path, false))
      return isGone(error) ? resolve(undefined) : reject(unreachable(messageOf(error), error))
    })
  })
}

function faultOf(path: string): NodeJS.ErrnoException | undefined {
  try {
    assertPrivateSocket(path)
    return undefined
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

/** There is no such socket, or no process behind it. Any other failure, such as too many open files, is ours. */
function isGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
}

function unreachable(why: string, cause?: unknown): HubError {
  const message = `The hub cannot reach its holder now: ${why.replace(/\.$/, '')}. The program is left alone.`
  return new HubError('unavailable', message, { cause })
}
