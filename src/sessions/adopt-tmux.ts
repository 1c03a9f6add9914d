/** Takes what runs in tmux already under the hub. Nothing is started, and nothing of it is changed. */
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import type { Terminals, TmuxAccess, TmuxPane } from '../terminal/terminal.ts'
import { findTmuxTarget } from '../terminal/terminal.ts'
import type { Beginning } from './begin.ts'
import type { NewRecord } from './new-record.ts'
import type { PersonsEnvironment } from './persons-tmux.ts'
import { personsTmux } from './persons-tmux.ts'
import type { RunningSessions } from './running.ts'
import type { SessionBook } from './session-book.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'

export interface AdoptTmuxOptions {
  readonly rows: Pick<SessionStore, 'find'>
  readonly book: SessionBook
  readonly events: Pick<EventLog, 'append'>
  readonly begin: Pick<Beginning, 'take'>
  readonly running: Pick<RunningSessions, 'whileStarting'>
  readonly terminals: Terminals
  readonly environment: PersonsEnvironment
  readonly newRecord: NewRecord
}

/** `target`: as for tmux. */
export type AdoptTmux = (target: string, name: string | undefined) => Promise<SessionRecord>

export function createTmuxAdoption(options: AdoptTmuxOptions): AdoptTmux {
  const { rows, book, events, begin, running, terminals, environment, newRecord } = options

  async function refuseIfHeld({ heldAs, isPiped }: TmuxPane, target: string): Promise<void> {
    const holding = heldAs === undefined ? undefined : await rows.find(heldAs)
    if (holding && !isOver(holding.status)) {
      throw new HubError('conflict', `"target": ${target} is under the hub already, as the session "${holding.name}".`)
    }
    // What a holder of ours has left behind goes by itself.
    if (!isPiped || holding) return
    throw new HubError(
      'conflict',
      `"target": what ${target} prints goes to another program already, and tmux gives it to one only. End that with "tmux pipe-pane -t ${target}", then try again.`,
    )
  }

  return async (target, name) => {
    const tmux = personsTmux(environment)
    const pane = await paneAt(tmux, target)
    await refuseIfHeld(pane, target)
    const record = newRecord({
      name: name ?? toName(pane.sessionName),
      template: 'shell',
      command: pane.command,
      args: undefined,
      sessionType: 'long_running',
      backend: 'tmux',
      description: undefined,
      labels: [],
      workspacePath: pane.cwd,
      size: pane.size,
      terminalTools: [],
      socketName: undefined,
    })
    const { id, template, command, size } = record
    await running.whileStarting(id, async () => {
      await book.add(record)
      const payload = { name: record.name, template, command, tmux: pane.sessionName }
      await events.append({ type: 'session-created', session: id, payload })
      await begin.take(record, () => terminals.start(id, { ...size, tmux: { ...tmux, pane: pane.id } }))
    })
    return book.find(id)
  }
}

/** So many are named where the one that was asked for is not there. */
const namedTargets = 10

async function paneAt(tmux: TmuxAccess, target: string): Promise<TmuxPane> {
  const { pane, targets } = await findTmuxTarget(tmux, target)
  if (pane) return pane
  const named = targets.slice(0, namedTargets).join(', ')
  const more = targets.length > namedTargets ? ` and ${targets.length - namedTargets} more` : ''
  throw new HubError(
    'not-found',
    targets.length === 0
      ? '"target": no tmux session runs, or none that the hub can see: it looks where TMUX_TMPDIR says.'
      : `"target": tmux has no ${target}, or more than one. Name a session, window or pane in full; its panes are ${named}${more}.`,
  )
}

/** Names in tmux are freer than ours. */
function toName(tmuxName: string): string {
  const name = tmuxName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return name.replace(/^-+/, '').slice(0, 40).replace(/-+$/, '') || 'tmux'
}
