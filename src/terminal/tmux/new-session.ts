/** Starts a program in a new tmux session, without showing its environment in any process list. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TmuxCommand } from './access.ts'
import { runTmux, TmuxError } from './access.ts'
import { watchdogCommand } from './watchdog.ts'
import type { Pane } from './pane.ts'
import { paneFormat, readPane } from './pane.ts'
import type { TmuxSessionSpec } from './tmux-program.ts'
import { tmuxLine, tmuxLiteral } from './quoting.ts'

const maxTries = 20
const retryMs = 50

export interface NewSession {
  /** `cat` runs in it until the program replaces it. */
  readonly pane: Pane
  /** The names of variables that the server was started with. */
  readonly serverNames: readonly string[]
}

export async function openSession({ tmux, cwd, cols, rows }: TmuxSessionSpec): Promise<NewSession> {
  // -E: the session does not get the environment of the hub.
  const create = ['new-session', '-d', '-E', '-s', tmux.session, '-x', String(cols), '-y', String(rows)]
  const waiting = ['/bin/sh', '-c', 'exec cat']
  const commands = [
    [...create, '-c', tmuxLiteral(cwd), '-P', '-F', paneFormat, ...waiting],
    ['show-environment', '-g'],
  ]
  for (let tries = 1; ; tries++) {
    try {
      const answer = await runTmux(tmux, commands)
      return { pane: readPane(answer)!, serverNames: namesIn(answer) }
    } catch (error) {
      if (error instanceof TmuxError && error.message.startsWith('duplicate session')) throw nameInUse(tmux.session)
      if (!(error instanceof TmuxError && error.isLost) || tries === maxTries) throw error
      await sleep(retryMs)
    }
  }
}

function nameInUse(name: string): Error {
  return new Error(`tmux already has a session "${name}". Choose another name, or adopt that session`)
}

export interface ProgramStart {
  readonly mark: string
  /** Commands that run with it, before it can write a byte. */
  readonly also: readonly TmuxCommand[]
}

/** Returns the pane after the start. */
export async function startProgram(
  { tmux, file, args, cwd, env }: TmuxSessionSpec,
  { pane, serverNames }: NewSession,
  { mark, also }: ProgramStart,
): Promise<Pane> {
  const given = Object.entries(env).filter(([name]) => !setByTmux.test(name))
  const dropped = serverNames.filter((name) => !(name in env) && !setByTmux.test(name))
  const start = [
    'respawn-pane',
    '-k',
    '-t',
    pane.id,
    '-c',
    tmuxLiteral(cwd),
    ...given.flatMap(([name, value]) => ['-e', `${name}=${value}`]),
    ...watchdogCommand({ file, args, dropped, mark }),
  ]
  const lines = [start, ...also].map((command) => `${tmuxLine(command)}\n`)
  const showPane = ['display-message', '-p', '-t', pane.id, paneFormat]
  return readPane(await runTmux(tmux, [['source-file', '-'], showPane], lines.join('')))!
}

/** Variables that tmux itself sets for its panes. */
const setByTmux = /^(TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|TMUX|TMUX_PANE|SHELL|PWD)$/

function namesIn(answer: Buffer): readonly string[] {
  const lines = answer.toString().split('\n')
  return lines.flatMap((line) => /^([A-Za-z_]\w*)=/.exec(line)?.[1] ?? [])
}
