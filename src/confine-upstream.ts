/**
 * Puts the program of a stdio connector into its sandbox. The program ends with the hub, so the forwards out of its
 * sandbox run in the hub. The program cannot reach the hub itself. Only the list of its sandbox decides which hosts it
 * reaches.
 */
import { realpathSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { onPath } from './base/find-program.ts'
import { HubError } from './base/hub-error.ts'
import { makePrivateDirectory } from './base/private-socket.ts'
import type { EventLog } from './events/events.ts'
import { readOnlyGit } from './git/git.ts'
import type { Sandboxes } from './sandbox/sandbox.ts'
import type { Judge } from './terminal/terminal.ts'
import { isListed, openForwards } from './terminal/terminal.ts'
import type { ConfinedReach, ConfineUpstream } from './upstream/upstream.ts'

export interface ConfineUpstreamOptions {
  readonly sandboxes: Pick<Sandboxes, 'confine'>
  readonly events: Pick<EventLog, 'append'>
  /** For the sockets of its forwards. Its path must be short. Leftovers of a killed hub are removed. */
  readonly directory: string
}

export function createConfineUpstream({ sandboxes, events, directory }: ConfineUpstreamOptions): ConfineUpstream {
  rmSync(directory, { recursive: true, force: true })
  let count = 0

  function judgeFor(connector: string, { sandbox, session }: ConfinedReach): Judge {
    const allow = typeof sandbox.network === 'object' ? sandbox.network.allow : []
    return async (host, port) => {
      const isAllowed = isListed(allow, host, port)
      const reason = isAllowed ? undefined : `${host}:${port} is not on the list of the connector "${connector}".`
      const payload = { connector, host, port, allowed: isAllowed, ...(reason !== undefined && { reason }) }
      await events.append({ type: 'network-decided', ...(session !== undefined && { session }), payload })
      return { isAllowed, reason }
    }
  }

  return async ({ name, reach }) => {
    if (reach.transport !== 'stdio' || !reach.confined) throw new Error('Only programs are confined.')
    const { command, args, cwd, env, confined } = reach
    const file = command.includes('/') ? resolve(cwd, command) : onPath(command, env['PATH'] ?? '')
    if (file === undefined) {
      const advice = 'Install it, or name it in "cmd" with its full path.'
      throw new HubError('unavailable', `The command "${command}" was not found. ${advice}`)
    }
    try {
      const { workspace } = confined
      const git = workspace === undefined ? [] : readOnlyGit(realpathSync(workspace))
      const needs = { program: { file, env }, workspace, git, files: [], hub: undefined }
      const confinement = await sandboxes.confine(confined.sandbox, needs)
      const folder = join(directory, String(++count))
      const program = confinement.wrap({ file, args, cwd, env }, folder)
      makePrivateDirectory(directory)
      const forwards = await openForwards(confinement.forwards, folder, judgeFor(name, confined))
      return { ...program, [Symbol.dispose]: () => forwards[Symbol.dispose]() }
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      throw new HubError(error.code, `"${name}" cannot be confined, so it does not start. ${error.message}`)
    }
  }
}
