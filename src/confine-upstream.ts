/** Puts the program of a stdio connector into its sandbox. */
import { resolve } from 'node:path'
import { onPath } from './base/find-program.ts'
import { HubError } from './base/hub-error.ts'
import type { ConfineProgram } from './sandbox/sandbox.ts'
import type { ConfineUpstream } from './upstream/upstream.ts'

export function createConfineUpstream(confine: ConfineProgram): ConfineUpstream {
  return async ({ name, reach }) => {
    if (reach.transport !== 'stdio' || !reach.confined) throw new Error('Only programs are confined.')
    const { command, args, cwd, env, confined } = reach
    const file = command.includes('/') ? resolve(cwd, command) : onPath(command, env['PATH'] ?? '')
    if (file === undefined) {
      const advice = 'Install it, or name it in "cmd" with its full path.'
      throw new HubError('unavailable', `The command "${command}" was not found. ${advice}`)
    }
    try {
      const sandbox = await confine({ ...confined, program: { file, env }, connector: name })
      return Object.assign(sandbox.within.wrap({ file, args, cwd, env }), {
        [Symbol.dispose]: () => sandbox[Symbol.dispose](),
      })
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      throw new HubError(error.code, `"${name}" cannot be confined, so it does not start. ${error.message}`)
    }
  }
}
