/** Drivers: how the hub talks to agents. A template names the one it needs. */
import { HubError } from '../base/hub-error.ts'
import type { Program, Reach } from '../base/start-program.ts'
import type { Companions } from './port/companion.ts'
import type { Driver } from './port/driver.ts'
import type { HandOvers } from './port/hand-over.ts'
import type { ProjectSetting } from './project-settings/project-rules.ts'
import type { ProjectPlace } from './project-settings/project-settings.ts'

export type * from './port/companion.ts'
export type * from './port/driver.ts'
export type * from './port/hand-over.ts'
export { handedOverMark } from './port/hand-over.ts'
export type * from './port/own-tools.ts'
export type * from './port/thread-writer.ts'
export { longestDraft } from './port/thread-writer.ts'
export { createAcpDriver } from './acp/acp.ts'
export { createClaudeDriver } from './claude/claude.ts'
export { createCodexDriver } from './codex/codex.ts'
export { signInReason } from './codex/account.ts'
export { createModelDriver } from './model/model.ts'
export { createOpencodeDriver } from './opencode/opencode.ts'
export { createPtyDriver } from './pty/pty.ts'
export type { ProjectSetting, SettingKind } from './project-settings/project-rules.ts'
export { settingKinds } from './project-settings/project-rules.ts'

/** Each is loaded with its first session, because together they would slow the start of every hub. */
export const companions: Companions = {
  claude: async () => (await import('./claude/companion.ts')).openClaudeCompanion,
  gemini: async () => (await import('./gemini/companion.ts')).openGeminiCompanion,
  opencode: async () => (await import('./opencode/companion.ts')).openOpencodeCompanion,
}

/** Codex is not listed: its driver hands the thread over when Codex runs. */
export const handOvers: HandOvers = {
  claude: async () => (await import('./claude/hand-over.ts')).handOverToClaude,
  gemini: async () => (await import('./gemini/hand-over.ts')).handOverToGemini,
  opencode: async () => (await import('./opencode/hand-over.ts')).handOverToOpencode,
}

/** Loaded on first use, because it would slow the start of every hub. */
export const findProjectSettings = async (place: ProjectPlace): Promise<readonly ProjectSetting[]> =>
  (await import('./project-settings/project-settings.ts')).findProjectSettings(place)

/** Loaded on first use, because it would slow the start of every hub. */
export const whyNotCodex = async (program: Program, reach: Reach, signal: AbortSignal): Promise<string | undefined> =>
  (await import('./codex/why-not-codex.ts')).whyNotCodex(program, reach, signal)

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
