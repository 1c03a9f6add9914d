/**
 * A program in tmux, which looks to its holder like one in a PTY. The person keeps tmux: if the holder dies, the pane
 * and its program are not affected.
 */
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { Pty, PtyExit, PtyListeners } from '../pty/pty.ts'
import type { Size } from '../pty/size.ts'
import type { TmuxCommand } from './access.ts'
import { runTmux } from './access.ts'
import { createWatchdogReader } from './watchdog.ts'
import type { ExitFile } from './exit-file.ts'
import { createExitFile } from './exit-file.ts'
import { openSession, startProgram } from './new-session.ts'
import { openPaneOutput } from './pane-output.ts'
import type { SizeWatch } from './pane-size.ts'
import { watchSize } from './pane-size.ts'
import type { Pane } from './pane.ts'
import { findPane, paneOption } from './pane.ts'
import type { TmuxPaneSpec, TmuxSessionSpec } from './tmux-program.ts'
import { createPaneInput } from './pane-input.ts'
import { tmuxLine } from './quoting.ts'

const closed = 'Its pane in tmux was closed, or the tmux server ended.'

/** `directory`: the folder of the holder. Throws the error message of tmux. */
export async function startInTmux(
  program: TmuxSessionSpec | TmuxPaneSpec,
  directory: string,
  listeners: PtyListeners,
): Promise<Pty> {
  const { tmux } = program
  const opened = 'file' in program ? await openSession(program) : { pane: await findGivenPane(program) }
  const { id } = opened.pane
  const mark = opened.pane.mark ?? randomUUID()
  const { promise: began, resolve: onBegan, reject: onNeverBegan } = Promise.withResolvers<number>()
  began.catch(() => {})
  const emit = createEventQueue()
  const exitFile = createExitFile(directory)
  let size: SizeWatch | undefined
  let hasEnded = false

  function end(exit: PtyExit): void {
    if (hasEnded) return
    hasEnded = true
    size?.close()
    output.close()
    input.close()
    onNeverBegan(new Error('The program ended before it had started.'))
    emit(() => listeners.onExit(exit))
  }

  const reader = createWatchdogReader(mark, {
    onOutput: (bytes) => emit(() => listeners.onOutput(bytes)),
    onBegan,
    onEnded(exit) {
      void runTmux(tmux, [['kill-pane', '-t', id]]).catch(() => {})
      end(exit)
    },
  })
  const input = createPaneInput(tmux, id)
  const output = await openPaneOutput({
    tmux,
    pane: id,
    directory,
    onBytes(bytes) {
      // After a resize, a program redraws its screen. That output is for the new size.
      size?.checkIfDue()
      reader.read(bytes)
    },
    onRedraw(bytes) {
      reader.flush()
      size?.check()
      emit(() => listeners.onOutput(bytes))
    },
    onGone() {
      reader.flush()
      end(exitFile.read() ?? { code: null, signal: null, reason: closed })
    },
  })

  function watch({ tty }: Pane): void {
    size = watchSize(tty, program, {
      onChange: (now) => emit(() => listeners.onResize?.(now)),
      onGone: () => void runTmux(tmux, [wakeServer]).catch(() => {}),
    })
    size.check()
  }

  async function begin(): Promise<Started> {
    const adopt = adoptCommands(id, directory, exitFile)
    if (!('serverNames' in opened)) {
      const { pane } = opened
      await runTmux(tmux, adopt)
      watch(pane)
      await output.join()
      return { pid: pane.programPid ?? pane.pid, panePid: pane.pid }
    }
    const also = [...adopt, setOption(id, paneOption.mark, mark), output.pipeCommand]
    const pane = await startProgram(program as TmuxSessionSpec, opened, { mark, also })
    watch(pane)
    output.read()
    const pid = await began
    void runTmux(tmux, [setOption(id, paneOption.pid, String(pid))]).catch(() => {})
    return { pid, panePid: pane.pid }
  }

  async function resize(next: Size): Promise<void> {
    const now = await findPane(tmux, id)
    if (now) await runTmux(tmux, resizeCommands(now, next))
    size?.check()
  }

  try {
    const { pid, panePid } = await begin()
    // By then, the caller has the result of this function.
    setImmediate(() => emit.start())
    return {
      pid,
      answersItself: true,
      write: (bytes, onTaken) => input.write(bytes, onTaken),
      resize: (next) => void resize(next).catch(() => {}),
      signal: (name) => void (signalGroup(pid, name) || signalGroup(panePid, name)),
      async release() {
        await output.end(releaseCommands(id))
        reader.flush()
        end({ code: null, signal: null, isReleased: true })
      },
    }
  } catch (error) {
    if ('file' in program) await runTmux(tmux, [['kill-pane', '-t', id]]).catch(() => {})
    throw error
  }
}

interface Started {
  readonly pid: number
  /** The process that tmux waits for. */
  readonly panePid: number
}

async function findGivenPane({ tmux }: TmuxPaneSpec): Promise<Pane> {
  const pane = await findPane(tmux, tmux.pane)
  if (!pane) throw new Error('The pane no longer exists in tmux.')
  return pane
}

/** Delays events until the listeners are ready for them. */
function createEventQueue() {
  let waiting: (() => void)[] | undefined = []
  const emit = (action: () => void): void => (waiting ? void waiting.push(action) : action())
  return Object.assign(emit, {
    start() {
      const actions = waiting ?? []
      waiting = undefined
      for (const action of actions) action()
    },
  })
}

/** tmux itself records how the program ends and then closes the pane as usual, with or without a holder. */
function adoptCommands(pane: string, directory: string, exitFile: ExitFile): readonly TmuxCommand[] {
  const onDeath = [
    ['run-shell', exitFile.shellLine],
    ['kill-pane', '-t', pane],
  ]
    .map(tmuxLine)
    .join(' ; ')
  return [
    setOption(pane, paneOption.ownerSession, basename(directory)),
    ['set-hook', '-p', '-t', pane, 'pane-died', onDeath],
    setOption(pane, 'remain-on-exit', 'on'),
  ]
}

/**
 * Up to 3.5, tmux can miss the signal that a program has ended, if the program ends while tmux updates utmp (tmux issue
 * 4559). The pane then stays as dead, and its hook does not run. The end of any other child makes tmux look again.
 */
const wakeServer: TmuxCommand = ['run-shell', ':']

/** Undoes all changes to the pane. The pipe ends last, so that all output up to then is kept. */
function releaseCommands(pane: string): readonly TmuxCommand[] {
  return [
    ['set-hook', '-u', '-p', '-t', pane, 'pane-died'],
    ['set-option', '-u', '-p', '-t', pane, 'remain-on-exit'],
    ['set-option', '-u', '-p', '-t', pane, paneOption.ownerSession],
    ['pipe-pane', '-t', pane],
  ]
}

/** If a person is attached, their terminal decides the size, as for every session of theirs. */
function resizeCommands({ id, size, window, isAlone, windowSize }: Pane, next: Size): readonly TmuxCommand[] {
  const to = (cols: number, rows: number) => ['-t', id, '-x', String(cols), '-y', String(rows)]
  if (!isAlone) return [['resize-pane', ...to(next.cols, next.rows)]]
  return [
    // Its window may have one more row, for the pane title.
    ['resize-window', ...to(next.cols + window.cols - size.cols, next.rows + window.rows - size.rows)],
    // Otherwise the manual size would stay for ever, whatever terminal attaches.
    ['set-option', '-w', '-t', id, 'window-size', windowSize],
  ]
}

function setOption(pane: string, name: string, value: string): TmuxCommand {
  return ['set-option', '-p', '-t', pane, name, value]
}

/** False: there is no such group. */
function signalGroup(leader: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(-leader, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
