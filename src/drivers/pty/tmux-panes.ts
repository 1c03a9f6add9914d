/** The tmux of the person who runs the hub. People can use the sessions that the hub starts or finds there as usual. */
import { findProgram } from '../../base/find-program.ts'
import { HubError } from '../../base/hub-error.ts'
import type { PersonsEnvironment } from '../../config/config.ts'
import type { Terminal, Terminals, TmuxAccess } from '../../terminal/terminal.ts'
import { findTmuxTarget } from '../../terminal/terminal.ts'
import type { Run, RunSession, TmuxPanes, TmuxTarget } from '../port/driver.ts'

export interface TmuxPanesOptions {
  readonly environment: PersonsEnvironment
  readonly terminals: Terminals
  readonly toRun: (session: RunSession, terminal: Terminal) => Promise<Run>
}

export function createTmuxPanes({ environment, terminals, toRun }: TmuxPanesOptions): TmuxPanes {
  async function access({ server }: TmuxTarget): Promise<TmuxAccess> {
    return { ...(await personsTmux(environment)), ...(server && { server: [server.flag, server.value] }) }
  }

  return {
    async find(asked) {
      const { pane, targets } = await findTmuxTarget(await access(asked), asked.target)
      if (pane) return { ...pane, ...asked }
      throw new HubError('not-found', noSuchPane(asked.target, targets))
    },
    async take(session, pane) {
      const tmux = { ...(await access(pane)), pane: pane.id }
      return toRun(session, await terminals.start(session.id, { ...pane.size, tmux }))
    },
  }
}

export async function personsTmux({ forPrograms, passedOn }: PersonsEnvironment): Promise<TmuxAccess> {
  const env = await forPrograms()
  return { program: findTmux(env['PATH'] ?? ''), env: { ...env, ...passedOn(['TMUX_TMPDIR']) } }
}

function findTmux(path: string): string {
  try {
    return findProgram('tmux', path, '/')
  } catch (error) {
    throw new HubError('unavailable', "tmux is not installed, or not on the hub's PATH. Install it and try again.", {
      cause: error,
    })
  }
}

/** The error lists this many panes if the requested one is not there. */
const listedTargets = 10

function noSuchPane(target: string, targets: readonly string[]): string {
  if (targets.length === 0) {
    return '"target": there is no tmux session, or the hub cannot see it. The hub looks where TMUX_TMPDIR says, unless you name a server with "tmux_socket".'
  }
  const listed = targets.slice(0, listedTargets).join(', ')
  const more = targets.length > listedTargets ? ` and ${targets.length - listedTargets} more` : ''
  return `"target": tmux has no ${target}, or more than one. Give the full name of a session, window or pane. Its panes are ${listed}${more}.`
}
