/**
 * The sandboxes of connectors, and of programs that the hub itself runs for a session. They end with the hub, so the
 * forwards out of their sandboxes run in the hub. The list of a sandbox decides which hosts it reaches. None reaches the hub.
 */
import { realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateDirectory } from './base/private-socket.ts'
import type { EventLog } from './events/events.ts'
import { readOnlyGit } from './git/git.ts'
import type { ConfineProgram, HubProgram, Sandboxes } from './sandbox/sandbox.ts'
import type { Judge } from './terminal/terminal.ts'
import { isListed, openForwards } from './terminal/terminal.ts'

export interface ConfineProgramOptions {
  readonly sandboxes: Pick<Sandboxes, 'confine'>
  readonly events: Pick<EventLog, 'append'>
  /** For the sockets of its forwards. Its path must be short. Leftovers of a killed hub are removed. */
  readonly directory: string
}

export function createConfineProgram({ sandboxes, events, directory }: ConfineProgramOptions): ConfineProgram {
  rmSync(directory, { recursive: true, force: true })
  let count = 0

  function judgeFor({ sandbox: { network }, session, connector }: HubProgram): Judge {
    const owner = connector === undefined ? 'this sandbox' : `the connector "${connector}"`
    const allow = typeof network === 'object' ? network.allow : []
    return async (host, port) => {
      const isAllowed = isListed(allow, host, port)
      const reason = isAllowed ? undefined : `${host}:${port} is not on the list of ${owner}.`
      const payload = {
        ...(connector !== undefined && { connector }),
        host,
        port,
        allowed: isAllowed,
        ...(reason !== undefined && { reason }),
      }
      await events.append({ type: 'network-decided', ...(session !== undefined && { session }), payload })
      return { isAllowed, reason }
    }
  }

  return async (given) => {
    const { sandbox, program, workspace, files = [] } = given
    const git = workspace === undefined ? [] : readOnlyGit(realpathSync(workspace))
    const needs = { program, workspace, git, files, hub: undefined }
    const confinement = await sandboxes.confine(sandbox, needs)
    const folder = join(directory, String(++count))
    makePrivateDirectory(directory)
    const forwards = await openForwards(confinement.forwards, folder, judgeFor(given))
    return {
      within: { wrap: (inner) => confinement.wrap(inner, folder) },
      [Symbol.dispose]: () => forwards[Symbol.dispose](),
    }
  }
}
