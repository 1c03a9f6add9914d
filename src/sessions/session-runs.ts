/** Picks the driver of a session, and describes the session to it. */
import { isOver } from '../api/session.ts'
import type { Template } from '../api/template.ts'
import { messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import type { Drivers, Run, RunSession } from '../drivers/drivers.ts'
import type { ConnectedAgents } from './connected-agents.ts'
import type { PendingCalls } from './pending-approvals.ts'
import type { SessionRecord } from './session-store.ts'

export interface SessionRuns {
  readonly drivers: Drivers
  describe(record: SessionRecord): RunSession
  /** The run that an earlier hub started, with the driver named in the record. */
  adopt(record: SessionRecord): Promise<Run | undefined>
  hasTerminal(record: SessionRecord): boolean
}

export interface SessionRunsOptions {
  readonly drivers: Drivers
  /** Throws if there is no template of that name. */
  readonly templates: { find(name: string): { readonly template: Template } }
  readonly pending: Pick<PendingCalls, 'heldOf'>
  readonly agents: Pick<ConnectedAgents, 'until'>
  readonly log: Log
}

export function createSessionRuns({ drivers, templates, pending, agents, log }: SessionRunsOptions): SessionRuns {
  function templateOf({ name, template, status }: SessionRecord): Template | undefined {
    try {
      return templates.find(template).template
    } catch (error) {
      // An ended session no longer needs its template.
      if (!isOver(status)) {
        log.warn({ session: name, template, error: messageOf(error) }, 'could not use the template of a session')
      }
      return undefined
    }
  }

  function describe(record: SessionRecord): RunSession {
    const { id, name, backend, resumedFrom, activity } = record
    return {
      id,
      name,
      backend,
      template: templateOf(record),
      isResumed: resumedFrom !== undefined,
      lastActivity: activity,
      heldCall: () => pending.heldOf(id),
      agentConnected: (signal) => agents.until(id, signal),
    }
  }

  return {
    drivers,
    describe,
    adopt: async (record) => drivers.find(record.driver).adopt(describe(record)),
    hasTerminal: ({ driver }) => drivers.all.some(({ name, abilities }) => name === driver && abilities.terminal),
  }
}
