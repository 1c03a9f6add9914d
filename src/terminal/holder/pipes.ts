/** A program on pipes: it has no terminal, and three separate streams. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface PipesSpec {
  readonly stdio: 'pipes'
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface PipedChild {
  readonly pid: number
  /** The program accepts no more input: either side has closed it. */
  readonly isInputClosed: boolean
  /** `onTaken` is called when the pipe has taken all bytes, or never will. */
  write(bytes: Buffer, onTaken: () => void): void
  /** Closes the input after everything written before. */
  closeInput(): void
  /** Stops reading standard output. When the pipe is full, the program waits. */
  pause(): void
  resume(): void
  /** Signals the whole process group of the program. */
  signal(name: NodeJS.Signals): void
}

export interface PipesListeners {
  onOutput(bytes: Buffer): void
  onStderr(bytes: Buffer): void
  onInputClosed(): void
  /** Called after the last byte that the program itself has written. */
  onExit(exit: PipesExit): void
}

export interface PipesExit {
  readonly code: number | null
  readonly signal: string | null
}

/** Rejects if the program cannot be started. */
export async function startPipes({ file, args, cwd, env }: PipesSpec, listeners: PipesListeners): Promise<PipedChild> {
  // Detached, so that it leads a process group of its own, like a program in a terminal.
  const child = spawn(file, args, { cwd, env: { ...env }, stdio: 'pipe', detached: true })
  const { stdin, stdout, stderr } = child
  let exit: PipesExit | undefined
  let isQuiet = true
  let isFinishing = false
  let isPaused = false
  let isInputClosed = false

  child.once('exit', (code, signal) => {
    exit = { code, signal }
    finish()
  })
  await once(child, 'spawn')

  stdout.on('data', (bytes: Buffer) => {
    isQuiet = false
    listeners.onOutput(bytes)
    // Node resumes the streams of a child that has exited.
    if (isPaused) stdout.pause()
  })
  stderr.on('data', (bytes: Buffer) => {
    isQuiet = false
    listeners.onStderr(bytes)
  })
  stdin.on('error', () => markInputClosed())
  stdin.on('close', () => markInputClosed())

  function markInputClosed(): void {
    if (isInputClosed) return
    isInputClosed = true
    listeners.onInputClosed()
  }

  /**
   * When the program ends, its last output is in the pipes and is read in the next turns of the event loop. This does
   * not wait for the end of the pipes, since a child of the program may keep them open for ever.
   */
  function finish(): void {
    if (!exit || isFinishing) return
    isFinishing = true
    afterQuietTurns(2, exit)
  }

  function afterQuietTurns(turns: number, ended: PipesExit): void {
    if (turns === 0) return listeners.onExit(ended)
    isQuiet = true
    setImmediate(() => {
      isFinishing = !isPaused
      if (isFinishing) afterQuietTurns(isQuiet ? turns - 1 : 2, ended)
    })
  }

  return {
    pid: child.pid!,
    get isInputClosed() {
      return isInputClosed
    },
    write: (bytes, onTaken) => void stdin.write(bytes, () => onTaken()),
    closeInput() {
      stdin.end()
      markInputClosed()
    },
    pause() {
      isPaused = true
      stdout.pause()
    },
    resume() {
      isPaused = false
      stdout.resume()
      finish()
    },
    signal(name) {
      try {
        process.kill(-child.pid!, name)
      } catch (error) {
        // The program may have left its group, or be gone.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    },
  }
}
