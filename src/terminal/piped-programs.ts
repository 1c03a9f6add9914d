/** The hub's programs on pipes: each runs in a holder, and outlives the hub. */
import type { PipesSpec } from './holder/pipes.ts'
import type { HoldersOptions, Sandboxed } from './holders.ts'
import { createHolders } from './holders.ts'
import type { PipedProgram } from './piped-program.ts'
import { openPipedProgram } from './piped-program.ts'

export interface PipedPrograms {
  /** Throws if it cannot be started. */
  start(id: string, program: Omit<PipesSpec, 'stdio'> & Sandboxed): Promise<PipedProgram>
  /**
   * Finds a program that an earlier hub started, alive in its holder or ended. `undefined`: there is no such program.
   * Throws if its holder may be alive but cannot be reached. From then on, input of an earlier hub is ignored.
   */
  adopt(id: string): Promise<PipedProgram | undefined>
}

/** A line is held in memory, several times. A document that an agent has read may be this long. */
const longestLineBytes = 32 * 1024 * 1024

export function createPipedPrograms(options: HoldersOptions): PipedPrograms {
  const holders = createHolders(options)
  const maxLineBytes = Math.min(longestLineBytes, Math.floor(options.journal.maxBytes / 2))
  return {
    async start(id, program) {
      return openPipedProgram({ id, maxLineBytes, ...(await holders.start(id, { ...program, stdio: 'pipes' })) })
    },
    async adopt(id) {
      const found = await holders.find(id)
      if (found?.isPiped) return openPipedProgram({ id, maxLineBytes, ...found })
      found?.connection?.close()
      return undefined
    },
  }
}
