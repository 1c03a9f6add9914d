/**
 * A program in tmux, to its holder like one in a PTY of its own. tmux stays what the person has: the holder may die, and
 * neither the pane nor its program takes notice.
 */
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { Size } from '../holder/frames.ts'
import type { Pty, PtyExit, PtyListeners } from '../holder/pty.ts'
import type { TmuxCommand } from './access.ts'
import { askTmux } from './access.ts'
import { createEscortReader } from './escort.ts'
import type { ExitFile } from './exit-file.ts'
import { createExitFile } from './exit-file.ts'
import { openSession, startProgram } from './new-session.ts'
import type { Pane } from './pane.ts'
import { findPane, paneOption } from './pane.ts'
import { openPaneOutput } from './pane-output.ts'
import type { SizeWatch } from './pane-size.ts'
import { watchSize } from './pane-size.ts'
import type { TmuxPaneSpec, TmuxSessionSpec } from './tmux-program.ts'
import { createTypist } from './typist.ts'
import { tmuxLine } from './words.ts'

const closed = 'Its pane in tmux was closed, or the tmux server ended.'

/** `directory`: where the holder keeps what it knows of it. Throws what tmux says is wrong. */
export async function startInTmux(
  program: TmuxSessionSpec | TmuxPaneSpec,
  directory: string,
  listeners: PtyListeners,
): Promise<Pty> {
  const { tmux } = program
  const opened = 'file' in program ? await openSession(program) : { pane: await takenPane(program) }
  const { id } = opened.pane
  const mark = opened.pane.mark ?? randomUUID()
  const { promise: began, resolve: onBegan, reject: onNeverBegan } = Promise.withResolvers<number>()
  began.catch(() => {})
  const tell = createGate()
  const exitFile = createExitFile(directory)
  let size: SizeWatch | undefined
  let hasEnded = false

  function end(exit: PtyExit): void {
    if (hasEnded) return
    hasEnded = true
    size?.close()
    output.close()
    typist.close()
    onNeverBegan(new Error('it ended before it had begun'))
    tell(() => listeners.onExit(exit))
  }

  const reader = createEscortReader(mark, {
    onOutput: (bytes) => tell(() => listeners.onOutput(bytes)),
    onBegan,
    onEnded(exit) {
      void askTmux(tmux, [['kill-pane', '-t', id]]).catch(() => {})
      end(exit)
    },
  })
  const typist = createTypist(tmux, id)
  const output = await openPaneOutput({
    tmux,
    pane: id,
    directory,
    onBytes(bytes) {
      // A program that is told of a new size draws anew: what it writes then is meant for that size.
      size?.glance()
      reader.read(bytes)
    },
    onPicture(bytes) {
      reader.flush()
      size?.look()
      tell(() => listeners.onOutput(bytes))
    },
    onGone() {
      reader.flush()
      end(exitFile.read() ?? { code: null, signal: null, reason: closed })
    },
  })

  function watch({ tty }: Pane): void {
    size = watchSize(tty, program, (now) => tell(() => listeners.onResize?.(now)))
    size.look()
  }

  async function begin(): Promise<Begun> {
    const hold = holdCommands(id, directory, exitFile)
    if (!('serverNames' in opened)) {
      const { pane } = opened
      await askTmux(tmux, hold)
      watch(pane)
      await output.join()
      return { pid: pane.programPid ?? pane.pid, panePid: pane.pid }
    }
    const also = [...hold, setOption(id, paneOption.mark, mark), output.pipeCommand]
    const pane = await startProgram(program as TmuxSessionSpec, opened, { mark, also })
    watch(pane)
    output.read()
    const pid = await began
    void askTmux(tmux, [setOption(id, paneOption.pid, String(pid))]).catch(() => {})
    return { pid, panePid: pane.pid }
  }

  async function resize(next: Size): Promise<void> {
    const now = await findPane(tmux, id)
    if (now) await askTmux(tmux, resizeCommands(now, next))
    size?.look()
  }

  try {
    const { pid, panePid } = await begin()
    // Whoever started it knows it by then.
    setImmediate(() => tell.open())
    return {
      pid,
      answersItself: true,
      write: (bytes, onTaken) => typist.write(bytes, onTaken),
      resize: (next) => void resize(next).catch(() => {}),
      signal: (name) => void (signalGroup(pid, name) || signalGroup(panePid, name)),
    }
  } catch (error) {
    if ('file' in program) await askTmux(tmux, [['kill-pane', '-t', id]]).catch(() => {})
    throw error
  }
}

interface Begun {
  readonly pid: number
  /** What tmux waits for. */
  readonly panePid: number
}

async function takenPane({ tmux }: TmuxPaneSpec): Promise<Pane> {
  const pane = await findPane(tmux, tmux.pane)
  if (!pane) throw new Error('the pane is gone from tmux')
  return pane
}

/** Holds what is told back until somebody is there who understands it. */
function createGate() {
  let waiting: (() => void)[] | undefined = []
  const tell = (action: () => void): void => (waiting ? void waiting.push(action) : action())
  return Object.assign(tell, {
    open() {
      const actions = waiting ?? []
      waiting = undefined
      for (const action of actions) action()
    },
  })
}

/** How it ends is written down by tmux itself, and the pane closes then as ever, whether anybody is there or not. */
function holdCommands(pane: string, directory: string, exitFile: ExitFile): readonly TmuxCommand[] {
  const onDeath = [
    ['run-shell', exitFile.shellLine],
    ['kill-pane', '-t', pane],
  ]
    .map(tmuxLine)
    .join(' ; ')
  return [
    setOption(pane, paneOption.heldAs, basename(directory)),
    ['set-hook', '-p', '-t', pane, 'pane-died', onDeath],
    setOption(pane, 'remain-on-exit', 'on'),
  ]
}

/** Where a person is attached, their terminal decides, as it does for every session of theirs. */
function resizeCommands({ id, size, window, isAlone, windowSize }: Pane, next: Size): readonly TmuxCommand[] {
  const to = (cols: number, rows: number) => ['-t', id, '-x', String(cols), '-y', String(rows)]
  if (!isAlone) return [['resize-pane', ...to(next.cols, next.rows)]]
  return [
    // Its window may have a row more, for the name of the pane.
    ['resize-window', ...to(next.cols + window.cols - size.cols, next.rows + window.rows - size.rows)],
    // By itself that would hold for ever, whoever attaches.
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
