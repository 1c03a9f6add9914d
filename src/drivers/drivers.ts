/** Drivers: how the hub talks to agents. A template names the one it needs. */
import { HubError } from '../base/hub-error.ts'
import type { Driver } from './port/driver.ts'

export type * from './port/companion.ts'
export type * from './port/driver.ts'
export type * from './port/own-tools.ts'
export type * from './port/thread-writer.ts'
export { createAcpDriver } from './acp/acp.ts'
export { createClaudeDriver } from './claude/claude.ts'
export { openClaudeCompanion } from './claude/companion.ts'
export { createCodexDriver } from './codex/codex.ts'
export { openGeminiCompanion } from './gemini/companion.ts'
export { createOpencodeDriver, openOpencodeCompanion } from './opencode/opencode.ts'
export { createPtyDriver } from './pty/pty.ts'

export interface Drivers {
  readonly all: readonly Driver[]
  /** Throws if the hub has no driver of that name. */
  find(name: string): Driver
}

export function createDrivers(all: readonly Driver[]): Drivers {
  const byName = new Map(all.map((driver) => [driver.name, driver]))
  return {
    all,
    find(name) {
      const driver = byName.get(name)
      if (driver) return driver
      throw new HubError(
        'invalid',
        `"driver": there is no driver "${name}". This hub has: ${[...byName.keys()].join(', ')}.`,
      )
    },
  }
}
