/** Adopts a program that already runs in tmux. It starts nothing and does not change the program. */
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import type { TmuxPane, TmuxTarget } from '../drivers/drivers.ts'
import type { EventLog } from '../events/events.ts'
import type { Sandboxes } from '../sandbox/sandbox.ts'
import type { SessionStarter } from './start-session.ts'
import type { TemplateSource } from './template-source.ts'
import type { NewRecord } from './new-record.ts'
import type { RunningSessions } from './running.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { SessionRuns } from './session-runs.ts'
import type { SessionRecord, SessionStore } from './session-store.ts'

export interface AdoptTmuxOptions {
  readonly rows: Pick<SessionStore, 'find'>
  readonly registry: SessionRegistry
  readonly events: Pick<EventLog, 'append'>
  readonly starter: Pick<SessionStarter, 'take'>
  readonly running: Pick<RunningSessions, 'whileStarting'>
  readonly templates: Pick<TemplateSource, 'find'>
  readonly runs: SessionRuns
  readonly newRecord: NewRecord
  readonly sandboxes: Pick<Sandboxes, 'setting'>
}

export interface AdoptSpec extends TmuxTarget {
  readonly name?: string | undefined
  /** The template that describes the program. */
  readonly template?: string | undefined
}

export type AdoptTmux = (spec: AdoptSpec) => Promise<SessionRecord>

export function createTmuxAdoption(options: AdoptTmuxOptions): AdoptTmux {
  const { rows, registry, events, starter, running, templates, runs, newRecord, sandboxes } = options

  async function assertFree({ ownerSession, isPiped, target }: TmuxPane): Promise<void> {
    const owner = ownerSession === undefined ? undefined : await rows.find(ownerSession)
    if (owner && !isOver(owner.status)) {
      throw new HubError('conflict', `"target": the hub already has ${target}, as the session "${owner.name}".`)
    }
    // A pipe that one of our holders left behind closes by itself.
    if (!isPiped || owner) return
    throw new HubError(
      'conflict',
      `"target": tmux already pipes the output of ${target} to another program, and it can pipe to only one. Stop that with "tmux pipe-pane -t ${target}", then try again.`,
    )
  }

  return async ({ target, name, template: wanted = 'shell', server }) => {
    if (sandboxes.setting === 'required') {
      throw new HubError(
        'forbidden',
        'A program in tmux is not confined, and this hub confines every session (SIGNALBOX_SANDBOX=required).',
      )
    }
    // Throws if there is no such template.
    const { name: template, driver } = templates.find(wanted).template
    const { tmux } = runs.drivers.find(driver)
    if (!tmux) {
      throw new HubError(
        'invalid',
        `"template": the driver of "${template}", ${driver}, cannot adopt a program in tmux.`,
      )
    }
    const pane = await tmux.find({ target, server })
    await assertFree(pane)
    const record = newRecord({
      name: name ?? toName(pane.sessionName),
      template,
      command: pane.command,
      args: undefined,
      sessionType: 'long_running',
      driver,
      backend: 'tmux',
      description: undefined,
      labels: [],
      workspacePath: pane.cwd,
      size: pane.size,
      terminalTools: [],
      socketName: undefined,
    })
    const { id, command } = record
    await running.whileStarting(record, async () => {
      await registry.add(record)
      const payload = { name: record.name, template, command, tmux: pane.sessionName }
      await events.append({ type: 'session-created', session: id, payload })
      await starter.take(record, () => tmux.take(runs.describe(record), pane))
    })
    return registry.find(id)
  }
}

/** tmux allows characters in names that we do not. */
function toName(tmuxName: string): string {
  const name = tmuxName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return name.replace(/^-+/, '').slice(0, 40).replace(/-+$/, '') || 'tmux'
}
