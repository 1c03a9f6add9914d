/** The hub's end of a holder's socket. */
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import type { Exit, Frame, Hello, Size } from './holder/frames.ts'
import {
  createFrameReader,
  decodeJson,
  decodeOutput,
  encodeFrame,
  encodeJson,
  frameKind,
  protocolVersion,
} from './holder/frames.ts'

export interface HolderConnection {
  readonly hello: Hello
  /** Set where the holder is too old to be spoken to: it is shown, and left alone. */
  readonly tooOld: string | undefined
  attach(from: number, listeners: HolderListeners): void
  write(bytes: Buffer): void
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

const answerWithinMs = 5_000

/** `undefined`: nobody is there. */
export async function connectToHolder(path: string): Promise<HolderConnection | undefined> {
  const socket = await open(path)
  if (!socket) return undefined
  let listeners: HolderListeners | undefined
  let greet: (hello: Hello | undefined) => void = () => {}
  const greeted = new Promise<Hello | undefined>((resolve) => (greet = resolve))

  function receive({ kind, payload }: Frame): void {
    switch (kind) {
      case frameKind.hello:
        return greet(decodeJson<Hello>(payload))
      case frameKind.output: {
        const { offset, bytes } = decodeOutput(payload)
        return listeners?.onOutput(offset, bytes)
      }
      case frameKind.resize:
        return listeners?.onResize(decodeJson<Size>(payload))
      case frameKind.exit:
        return listeners?.onExit(decodeJson<Exit>(payload))
      case frameKind.fault:
        return listeners?.onFault(decodeJson<{ message: string }>(payload).message)
      default:
      // From a newer holder.
    }
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
    greet(undefined)
    listeners?.onClose()
  })
  const timer = setTimeout(() => socket.destroy(), answerWithinMs)
  const hello = await greeted
  clearTimeout(timer)
  if (!hello) return undefined

  const tooOld =
    hello.protocol === protocolVersion
      ? undefined
      : `Its holder was started by signalbox ${hello.version} and speaks protocol ${hello.protocol}; this hub speaks ${protocolVersion}.`
  return {
    hello,
    tooOld,
    attach(from, own) {
      listeners = own
      socket.write(encodeJson(frameKind.attach, { from }))
    },
    write: (bytes) => void socket.write(encodeFrame(frameKind.input, bytes)),
    resize: (size) => void socket.write(encodeJson(frameKind.resize, size)),
    signal: (name) => void socket.write(encodeJson(frameKind.signal, { signal: name })),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => socket.destroy(),
  }
}

function open(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', () => resolve(undefined))
  })
}
