/**
 * The raw output of a pane's program: tmux pipes it to `cat`, and `cat` writes it to a named pipe that is read here.
 * When the pane closes, `cat` ends, and so does the pipe.
 */
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { runProgram, systemPath } from '../../base/start-program.ts'
import { shellWord } from './quoting.ts'

export interface OutputPipe {
  /** For tmux to run. */
  readonly shellLine: string
  /** Starts reading. Until then, output waits. */
  read(): void
  close(): void
}

export interface OutputListeners {
  onBytes(bytes: Buffer): void
  /** The pane is gone, or its output goes to another program. */
  onEnd(): void
}

export async function openOutputPipe(directory: string, { onBytes, onEnd }: OutputListeners): Promise<OutputPipe> {
  const path = join(directory, 'tmux-output')
  rmSync(path, { force: true })
  const makePipe = { file: 'mkfifo', args: ['-m', '600', path], cwd: '/', env: { PATH: systemPath } }
  await runProgram(makePipe, 'person')
  const pipe = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  // Before `cat` has opened the pipe, it has no writer, which would look like its end.
  let guard: number | undefined = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)

  function dropGuard(): void {
    if (guard !== undefined) closeSync(guard)
    guard = undefined
  }

  pipe.on('data', (bytes) => {
    const isFirst = guard !== undefined
    dropGuard()
    // The first byte shows that `cat` has opened the pipe.
    const own = isFirst ? bytes.subarray(1) : bytes
    if (own.length > 0) onBytes(own)
  })
  pipe.on('error', () => {})
  pipe.on('end', onEnd)
  pipe.pause()
  const word = shellWord(path)
  return {
    // A pipe without a reader blocks its first writer, so a shell whose holder has just died would wait for ever. Opened
    // for both directions it does not block, and without its reader `echo` then ends the shell.
    shellLine: `exec 3<> ${word} > ${word} 3>&-; echo; exec cat`,
    read: () => void pipe.resume(),
    close() {
      dropGuard()
      pipe.removeAllListeners('end')
      pipe.destroy()
      rmSync(path, { force: true })
    },
  }
}
