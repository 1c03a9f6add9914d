/**
 * The reach of a worktree script: that of the sessions that work in its worktree, without the hub. The script ends with
 * the hub, so the forwards out of its sandbox run in the hub. The list of the sandbox decides which hosts it reaches.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateDirectory } from './base/private-socket.ts'
import type { EventLog } from './events/events.ts'
import type { Sandboxes } from './sandbox/sandbox.ts'
import type { ConfinedScript, ConfineScript } from './sessions/sessions.ts'
import type { Judge } from './terminal/terminal.ts'
import { isListed, openForwards } from './terminal/terminal.ts'

export interface ConfineScriptOptions {
  readonly sandboxes: Pick<Sandboxes, 'confine'>
  readonly events: Pick<EventLog, 'append'>
  /** For the sockets of its forwards. Its path must be short. Leftovers of a killed hub are removed. */
  readonly directory: string
}

export function createConfineScript({ sandboxes, events, directory }: ConfineScriptOptions): ConfineScript {
  rmSync(directory, { recursive: true, force: true })
  let count = 0

  function judgeFor({ sandbox: { network }, session }: ConfinedScript): Judge {
    const allow = typeof network === 'object' ? network.allow : []
    return async (host, port) => {
      const isAllowed = isListed(allow, host, port)
      const reason = isAllowed ? undefined : `${host}:${port} is not on the list of this sandbox.`
      const payload = { host, port, allowed: isAllowed, ...(reason !== undefined && { reason }) }
      await events.append({ type: 'network-decided', ...(session !== undefined && { session }), payload })
      return { isAllowed, reason }
    }
  }

  return async (script) => {
    const { sandbox, program } = script
    const needs = { program, workspace: program.cwd, files: [], hub: undefined }
    const confinement = await sandboxes.confine(sandbox, needs)
    const folder = join(directory, String(++count))
    makePrivateDirectory(directory)
    const forwards = await openForwards(confinement.forwards, folder, judgeFor(script))
    return {
      reach: { wrap: (inner) => confinement.wrap(inner, folder) },
      [Symbol.dispose]: () => forwards[Symbol.dispose](),
    }
  }
}
