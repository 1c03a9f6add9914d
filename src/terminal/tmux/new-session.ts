/** A new tmux session with a program in it, and nothing of it in any process list. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TmuxCommand } from './access.ts'
import { askTmux, TmuxError } from './access.ts'
import { escort } from './escort.ts'
import type { Pane } from './pane.ts'
import { paneFormat, readPane } from './pane.ts'
import type { TmuxSessionSpec } from './tmux-program.ts'
import { tmuxLine, tmuxLiteral } from './words.ts'

const maxTries = 20
const retryMs = 50

export interface NewSession {
  /** In it `cat` waits for the program to take its place. */
  readonly pane: Pane
  /** Variables that the server was started with. */
  readonly serverNames: readonly string[]
}

export async function openSession({ tmux, cwd, cols, rows }: TmuxSessionSpec): Promise<NewSession> {
  // -E: what the hub was started with does not become the session's.
  const create = ['new-session', '-d', '-E', '-s', tmux.session, '-x', String(cols), '-y', String(rows)]
  const waiting = ['/bin/sh', '-c', 'exec cat']
  const commands = [
    [...create, '-c', tmuxLiteral(cwd), '-P', '-F', paneFormat, ...waiting],
    ['show-environment', '-g'],
  ]
  for (let tries = 1; ; tries++) {
    try {
      const answer = await askTmux(tmux, commands)
      return { pane: readPane(answer)!, serverNames: namesIn(answer) }
    } catch (error) {
      if (error instanceof TmuxError && error.message.startsWith('duplicate session')) throw taken(tmux.session)
      if (!(error instanceof TmuxError && error.isLost) || tries === maxTries) throw error
      await sleep(retryMs)
    }
  }
}

function taken(name: string): Error {
  return new Error(`tmux has a session "${name}" already; take another name, or adopt that one`)
}

export interface ProgramStart {
  readonly mark: string
  /** Done along with it, before it can write a byte. */
  readonly also: readonly TmuxCommand[]
}

/** Its pane, as it is now. */
export async function startProgram(
  { tmux, file, args, cwd, env }: TmuxSessionSpec,
  { pane, serverNames }: NewSession,
  { mark, also }: ProgramStart,
): Promise<Pane> {
  const given = Object.entries(env).filter(([name]) => !ofTmux.test(name))
  const dropped = serverNames.filter((name) => !(name in env) && !ofTmux.test(name))
  const start = [
    'respawn-pane',
    '-k',
    '-t',
    pane.id,
    '-c',
    tmuxLiteral(cwd),
    ...given.flatMap(([name, value]) => ['-e', `${name}=${value}`]),
    ...escort({ file, args, dropped, mark }),
  ]
  const lines = [start, ...also].map((command) => `${tmuxLine(command)}\n`)
  const tellPane = ['display-message', '-p', '-t', pane.id, paneFormat]
  return readPane(await askTmux(tmux, [['source-file', '-'], tellPane], lines.join('')))!
}

/** What tmux sets for its panes, and knows better. */
const ofTmux = /^(TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|TMUX|TMUX_PANE|SHELL|PWD)$/

function namesIn(answer: Buffer): readonly string[] {
  const lines = answer.toString().split('\n')
  return lines.flatMap((line) => /^([A-Za-z_]\w*)=/.exec(line)?.[1] ?? [])
}
