/** A program in a pseudo-terminal. The one place that knows the PTY library. */
import { closeSync, constants, openSync } from 'node:fs'
import { spawn } from '@lydell/node-pty'
import type { Size } from './frames.ts'

export interface Pty {
  readonly pid: number
  write(bytes: Buffer): void
  resize(size: Size): void
  /** To the whole process group of the program. */
  signal(name: NodeJS.Signals): void
  /** No more output is read until `resume`; the program then blocks as it writes. */
  pause(): void
  resume(): void
}

export interface PtySpec extends Size {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface PtyListeners {
  onOutput(bytes: Buffer): void
  /** After the last byte of output. */
  onExit(exit: { readonly code: number | null; readonly signal: number | null }): void
}

export function startPty({ file, args, cwd, env, cols, rows }: PtySpec, { onOutput, onExit }: PtyListeners): Pty {
  const pty = spawn(file, [...args], { name: 'xterm-256color', cwd, env: { ...env }, cols, rows, encoding: null })
  // Held open until exit: when the last holder of the other end goes, the kernel hangs up and the library loses what it
  // has not read yet, the tail of every short command.
  const slave = openSync(slaveOf(pty), constants.O_RDWR | constants.O_NOCTTY)
  // With `encoding: null` the library gives bytes, whatever its types say.
  pty.onData((data) => onOutput(data as unknown as Buffer))
  pty.onExit(({ exitCode, signal }) => {
    closeSync(slave)
    onExit(signal ? { code: null, signal } : { code: exitCode, signal: null })
  })
  return {
    pid: pty.pid,
    write: (bytes) => pty.write(bytes as unknown as string),
    resize: (size) => pty.resize(size.cols, size.rows),
    signal(name) {
      try {
        process.kill(-pty.pid, name)
      } catch (error) {
        // The program may have left its group, or be gone.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    },
    pause: () => pty.pause(),
    resume: () => pty.resume(),
  }
}

/** `/dev/pts/7`. A private field of the library, guarded by a test. */
function slaveOf(pty: object): string {
  const path = '_pty' in pty ? pty._pty : undefined
  if (typeof path !== 'string' || !path.startsWith('/dev/')) throw new Error('the PTY library hides its terminal')
  return path
}
