/** A program in a pseudo-terminal. The only file that uses the PTY library. */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import type { Socket } from 'node:net'
import { spawn } from '@lydell/node-pty'
import { createNonBlockingWriter } from './non-blocking-writer.ts'
import type { Size } from './size.ts'

export interface Pty {
  readonly pid: number
  /** Another program, such as tmux, answers what the program asks its terminal. */
  readonly answersItself: boolean
  /** `onTaken` is called when the terminal has taken all bytes. Until then they are queued. */
  write(bytes: Buffer, onTaken?: () => void): void
  /** Calls `onResize` after the change. */
  resize(size: Size): void
  /** Signals the whole process group of the program. */
  signal(name: NodeJS.Signals): void
  /** Disconnects from a program that can continue without its holder. `onExit` reports it. */
  release?(): Promise<void>
}

export interface PtySpec extends Size {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface PtyListeners {
  onOutput(bytes: Buffer): void
  onResize?(size: Size): void
  /** Called after the last byte of output. */
  onExit(exit: PtyExit): void
}

export interface PtyExit {
  readonly code: number | null
  readonly signal: number | null
  /** Set if neither code nor signal explains the end. */
  readonly reason?: string
  /** The program has not ended: it was released. */
  readonly isReleased?: boolean
}

export function startPty({ file, args, cwd, env, cols, rows }: PtySpec, listeners: PtyListeners): Pty {
  const { onOutput, onResize, onExit } = listeners
  const pty = spawn(file, [...args], { name: 'xterm-256color', cwd, env: { ...env }, cols, rows, encoding: null })
  const { path, descriptor, stream } = internalsOf(pty)
  // Kept open until exit: when the last process closes the other end, the kernel hangs up and the library loses unread
  // output, the tail of every short command.
  const slave = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
  // With `encoding: null` the library returns bytes, although its types say otherwise.
  pty.onData((data) => onOutput(data as unknown as Buffer))
  const writer = createNonBlockingWriter(descriptor)
  // The library closes its end some time after the exit. On a busy machine there may be unread output then.
  const destroy = stream.destroy.bind(stream)
  stream.destroy = (error) => {
    writer.close()
    if (!stream.destroyed) readRest(descriptor, onOutput)
    return destroy(error)
  }
  let hasEnded = false
  pty.onExit(({ exitCode, signal }) => {
    hasEnded = true
    closeSync(slave)
    onExit(signal ? { code: null, signal } : { code: exitCode, signal: null })
  })
  return {
    pid: pty.pid,
    answersItself: false,
    write: (bytes, onTaken) => writer.write(bytes, onTaken),
    resize(size) {
      pty.resize(size.cols, size.rows)
      onResize?.(size)
    },
    // A program that has just been started may not have its own group yet.
    signal: (name) => void (hasEnded || sendSignal(-pty.pid, name) || sendSignal(pty.pid, name)),
  }
}

/** False: there is no such process or group. */
function sendSignal(target: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(target, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** The descriptor is non-blocking, so reading at the end throws. */
function readRest(descriptor: number, onOutput: (bytes: Buffer) => void): void {
  const buffer = Buffer.alloc(64 * 1024)
  try {
    for (let length = 1; length > 0;) {
      length = readSync(descriptor, buffer, 0, buffer.length, null)
      if (length > 0) onOutput(Buffer.from(buffer.subarray(0, length)))
    }
  } catch {
    // There is no more output.
  }
}

interface PtyInternals {
  /** `/dev/pts/7` */
  readonly path: string
  readonly descriptor: number
  readonly stream: Socket
}

/** Private fields of the library. Every test that starts a program checks them. */
function internalsOf(pty: object): PtyInternals {
  const { _pty: path, _fd: descriptor, _socket: stream } = pty as Record<string, unknown>
  if (
    typeof path !== 'string' ||
    typeof descriptor !== 'number' ||
    !(stream instanceof Object && 'destroy' in stream)
  ) {
    throw new Error('The PTY library does not expose its terminal.')
  }
  return { path, descriptor, stream: stream as Socket }
}
