/** A program in a pseudo-terminal. The one place that knows the PTY library. */
import { closeSync, constants, openSync, readSync } from 'node:fs'
import type { Socket } from 'node:net'
import { spawn } from '@lydell/node-pty'
import type { Size } from './frames.ts'
import { createPatientWriter } from './patient-writer.ts'

export interface Pty {
  readonly pid: number
  /** Whoever runs it answers what it asks its terminal. */
  readonly answersItself: boolean
  /** `onTaken` is called when the terminal has all of them; until then they wait here, if the program does not read. */
  write(bytes: Buffer, onTaken?: () => void): void
  /** When it is so, `onResize` is called. */
  resize(size: Size): void
  /** To the whole process group of the program. */
  signal(name: NodeJS.Signals): void
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
  /** After the last byte of output. */
  onExit(exit: PtyExit): void
}

export interface PtyExit {
  readonly code: number | null
  readonly signal: number | null
  /** Where neither tells what happened. */
  readonly reason?: string
}

export function startPty({ file, args, cwd, env, cols, rows }: PtySpec, listeners: PtyListeners): Pty {
  const { onOutput, onResize, onExit } = listeners
  const pty = spawn(file, [...args], { name: 'xterm-256color', cwd, env: { ...env }, cols, rows, encoding: null })
  const { path, descriptor, stream } = internalsOf(pty)
  // Held open until exit: when the last holder of the other end goes, the kernel hangs up and the library loses what it
  // has not read yet, the tail of every short command.
  const slave = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
  // With `encoding: null` the library gives bytes, whatever its types say.
  pty.onData((data) => onOutput(data as unknown as Buffer))
  const writer = createPatientWriter(descriptor)
  // Some time after the exit it closes its end; on a busy machine not everything may have been read by then.
  const destroy = stream.destroy.bind(stream)
  stream.destroy = (error) => {
    writer.close()
    if (!stream.destroyed) readRest(descriptor, onOutput)
    return destroy(error)
  }
  pty.onExit(({ exitCode, signal }) => {
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
    signal(name) {
      try {
        process.kill(-pty.pid, name)
      } catch (error) {
        // The program may have left its group, or be gone.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    },
  }
}

/** The descriptor does not block: at its end it says so. */
function readRest(descriptor: number, onOutput: (bytes: Buffer) => void): void {
  const buffer = Buffer.alloc(64 * 1024)
  try {
    for (let length = 1; length > 0;) {
      length = readSync(descriptor, buffer, 0, buffer.length, null)
      if (length > 0) onOutput(Buffer.from(buffer.subarray(0, length)))
    }
  } catch {
    // Nothing more is there.
  }
}

interface PtyInternals {
  /** `/dev/pts/7` */
  readonly path: string
  readonly descriptor: number
  readonly stream: Socket
}

/** Private fields of the library, guarded by every test that starts a program. */
function internalsOf(pty: object): PtyInternals {
  const { _pty: path, _fd: descriptor, _socket: stream } = pty as Record<string, unknown>
  if (
    typeof path !== 'string' ||
    typeof descriptor !== 'number' ||
    !(stream instanceof Object && 'destroy' in stream)
  ) {
    throw new Error('the PTY library hides its terminal')
  }
  return { path, descriptor, stream: stream as Socket }
}
