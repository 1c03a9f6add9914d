/**
 * A program in tmux, to its holder like one in a PTY of its own: a control client types, resizes and hears what it
 * writes. tmux stays what the person has: the holder may die, and neither the pane nor its program takes notice.
 */
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { Size } from '../holder/frames.ts'
import type { Pty, PtyExit, PtyListeners } from '../holder/pty.ts'
import { createEscortReader, escort } from './escort.ts'
import { createExitFile } from './exit-file.ts'
import type { PaneLink, PaneListeners } from './pane-link.ts'
import { openPane, openSession } from './pane-link.ts'
import type { PaneLook } from './pane-look.ts'
import { heldOption, lookFormat, markOption, pidOption, readLook } from './pane-look.ts'
import type { TmuxPaneSpec, TmuxSessionSpec } from './tmux-program.ts'
import { tmuxLine, tmuxLiteral } from './words.ts'

/** So many bytes are typed by one command. */
const inputBytes = 512
const sessionGone = 'Its pane in tmux was closed, or the tmux server ended.'

/** `directory`: where the holder keeps what it knows of it. Throws what tmux says is wrong. */
export async function startInTmux(
  program: TmuxSessionSpec | TmuxPaneSpec,
  directory: string,
  listeners: PtyListeners,
): Promise<Pty> {
  const exitFile = createExitFile(directory)
  const { promise: began, resolve: onBegan, reject: onNeverBegan } = Promise.withResolvers<number>()
  began.catch(() => {})
  let size: Size = { cols: program.cols, rows: program.rows }
  /** What a person at the hub asked for; until then, and where somebody else's terminal is attached, tmux decides. */
  let asked: Size | undefined
  let link: PaneLink | undefined
  let hasEnded = false

  const tellInOrder = createGate()
  const mark = 'session' in program.tmux ? randomUUID() : ''
  let reader = createReader(mark)

  function createReader(itsMark: string) {
    return createEscortReader(itsMark, {
      onOutput: (bytes) => tellInOrder(() => listeners.onOutput(bytes)),
      onBegan,
      onEnded(exit) {
        link?.leave(tmuxLine('kill-pane', '-t', link.pane))
        end(exit)
      },
    })
  }

  function end(exit: PtyExit): void {
    if (hasEnded) return
    hasEnded = true
    onNeverBegan(new Error('it ended before it had begun'))
    tellInOrder(() => listeners.onExit(exit))
  }

  function noteSize(next: Size): void {
    if (next.cols === size.cols && next.rows === size.rows) return
    size = next
    tellInOrder(() => listeners.onResize(next))
  }

  const paneListeners: PaneListeners = {
    onOutput: (bytes) => reader.read(bytes),
    onDrawn(bytes) {
      reader.flush()
      tellInOrder(() => listeners.onOutput(bytes))
    },
    onLook(look) {
      noteSize(look.size)
    },
    onConnect: () => (asked ? [clientSize(asked)] : []),
    onGone() {
      reader.flush()
      end(exitFile.read() ?? { code: null, signal: null, reason: sessionGone })
    },
  }

  async function look(): Promise<PaneLook> {
    const [line = ''] = await link!.run(tmuxLine('display-message', '-p', '-t', link!.pane, lookFormat))
    return readLook(line)
  }

  async function startSession({ tmux, cwd, file, args, env, cols, rows }: TmuxSessionSpec): Promise<Started> {
    // The program comes later, over the client's standard input, when somebody listens to its first byte.
    const waiting = ['/bin/sh', '-c', 'exec cat']
    const command = ['new-session', '-E', '-s', tmux.session, '-c', tmuxLiteral(cwd), ...waiting]
    link = await openSession(tmux, command, paneListeners)
    asked = { cols, rows }
    await link.run(clientSize(asked))
    await hold(link)
    await link.run(setOption(link.pane, markOption, mark))
    const dropped = foreignNames(await link.run('show-environment -g'), env)
    const given = Object.entries(env).filter(([name]) => !ofTmux.test(name))
    await link.listen({ isDrawn: false })
    const respawn = tmuxLine(
      ...['respawn-pane', '-k', '-t', link.pane, '-c', tmuxLiteral(cwd)],
      ...given.flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      ...escort({ file, args, dropped, mark }),
    )
    // Both at once: a moment later it may have ended.
    const [, { pid: panePid }] = await Promise.all([link.run(respawn), look()])
    const pid = await began
    link.ask(setOption(link.pane, pidOption, String(pid)))
    return { pid, panePid }
  }

  async function takePane({ tmux }: TmuxPaneSpec): Promise<Started> {
    link = await openPane(tmux, tmux.pane, paneListeners)
    const found = await look()
    reader = createReader(found.mark ?? randomUUID())
    noteSize(found.size)
    await hold(link)
    await link.listen({ isDrawn: true })
    return { pid: found.programPid ?? found.pid, panePid: found.pid }
  }

  /** How it ends is written down by tmux itself, and the pane closes then as ever, whether anybody is there or not. */
  async function hold({ pane, run }: PaneLink): Promise<void> {
    await run(setOption(pane, heldOption, basename(directory)))
    const onDeath = `${tmuxLine('run-shell', exitFile.shellLine)} ; ${tmuxLine('kill-pane', '-t', pane)}`
    await run(tmuxLine('set-hook', '-p', '-t', pane, 'pane-died', onDeath))
    await run(setOption(pane, 'remain-on-exit', 'on'))
  }

  async function resize(next: Size): Promise<void> {
    const { window, size: now, isAlone, windowSize } = await look()
    if (!isAlone) {
      link!.ask(tmuxLine('resize-pane', '-t', link!.pane, '-x', String(next.cols), '-y', String(next.rows)))
    } else {
      // Its window may have a row more, for the name of the pane.
      const whole = { cols: next.cols + window.cols - now.cols, rows: next.rows + window.rows - now.rows }
      asked = whole
      link!.ask(clientSize(whole))
      if (windowSize === 'manual') {
        const { cols, rows } = whole
        link!.ask(tmuxLine('resize-window', '-t', link!.pane, '-x', String(cols), '-y', String(rows)))
      }
    }
    link!.look()
  }

  const { pid, panePid } =
    'session' in program.tmux ? await startSession(program as TmuxSessionSpec) : await takePane(program)
  // Whoever started it knows it by then.
  setImmediate(() => tellInOrder.open())
  return {
    pid,
    answersItself: true,
    write: (bytes, onTaken) => type(link!, bytes, onTaken),
    resize: (next) => void resize(next).catch(() => {}),
    signal: (name) => signalGroup(pid, name) || signalGroup(panePid, name),
  }
}

interface Started {
  readonly pid: number
  readonly panePid: number
}

/** Holds what is told back until somebody is there who understands it. */
function createGate() {
  let waiting: (() => void)[] | undefined = []
  const tell = (action: () => void) => (waiting ? void waiting.push(action) : action())
  return Object.assign(tell, {
    open() {
      const actions = waiting ?? []
      waiting = undefined
      for (const action of actions) action()
    },
  })
}

function type(link: PaneLink, bytes: Buffer, onTaken: () => void = () => {}): void {
  if (bytes.length === 0) return onTaken()
  // A person may be looking back in it; what is typed then would be taken for commands of that mode.
  link.ask(tmuxLine('copy-mode', '-q', '-t', link.pane))
  for (let start = 0; start < bytes.length; start += inputBytes) {
    const piece = bytes.subarray(start, start + inputBytes)
    const isLast = start + inputBytes >= bytes.length
    const numbers = piece.toString('hex').match(/../g) ?? []
    link.ask(`send-keys -t ${link.pane} -H ${numbers.join(' ')}`, isLast ? onTaken : undefined)
  }
}

function clientSize({ cols, rows }: Size): string {
  return `refresh-client -C ${cols}x${rows}`
}

function setOption(pane: string, name: string, value: string): string {
  return tmuxLine('set-option', '-p', '-t', pane, name, value)
}

/** What tmux sets for its panes, and knows better. */
const ofTmux = /^(TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|TMUX|TMUX_PANE|SHELL|PWD)$/

/** What the server was started with, and is none of the session's. */
function foreignNames(lines: readonly string[], own: Readonly<Record<string, string>>): readonly string[] {
  const names = lines.flatMap((line) => /^([A-Za-z_]\w*)=/.exec(line)?.[1] ?? [])
  return names.filter((name) => !(name in own) && !ofTmux.test(name))
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
