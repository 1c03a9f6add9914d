/**
 * Sandboxes: a confined program sees its workspace and what its sandbox names, and nothing else of the person's. They are
 * made by bubblewrap, around the whole program (docs/guides/sandbox.md).
 */
import type { Sandbox } from '../api/sandbox.ts'
import type { Confinement } from '../base/confinement.ts'
import { HubError } from '../base/hub-error.ts'
import type { Reach } from '../base/start-program.ts'
import type { Choice, ChosenFrom, SandboxSetting } from './choose.ts'
import { chooseSandbox } from './choose.ts'
import type { HubPlaces, ProgramNeeds } from './confine.ts'
import { confine } from './confine.ts'
import type { Availability } from './probe.ts'
import { probe } from './probe.ts'
import type { StartedPrograms } from './program-guards.ts'
import { guardedDirectories } from './program-guards.ts'
import type { ReachSpec } from './reach.ts'
import { reachOf } from './reach.ts'

export { probe as probeSandbox } from './probe.ts'
export type { Mount } from './mounts.ts'
export type { ConfineProgram, HubProgram } from './hub-program.ts'
export { writablePaths } from './named-paths.ts'
export { reachOf } from './reach.ts'
export type { ReachSpec } from './reach.ts'

export interface Sandboxes {
  readonly setting: SandboxSetting
  /** Whether a session is confined. Throws if it must not start. */
  choose(from: Pick<ChosenFrom, 'asked' | 'template' | 'backend'>): Promise<Choice>
  /** Throws if it cannot be made, or would show what must stay hidden. */
  confine(sandbox: Sandbox, needs: ProgramNeeds): Promise<Confinement>
  /** For a program that the hub runs. `undefined`: no sandbox can be made here. */
  reach(spec: ReachSpec): Promise<Reach | undefined>
  /** From now on, no sandbox may write where these are. Looked up for each sandbox. */
  guard(programs: () => StartedPrograms): void
}

export interface SandboxesOptions {
  readonly setting: SandboxSetting
  readonly places: HubPlaces
}

export function createSandboxes({ setting, places }: SandboxesOptions): Sandboxes {
  let found: Availability | undefined
  let started = (): StartedPrograms => ({ searchPath: '', files: [] })

  /** Remembers only success, because a missing part may be installed at any time. */
  async function availability(): Promise<Availability> {
    if (found?.is !== 'available') found = await probe()
    return found
  }

  return {
    setting,
    async choose(from) {
      const isWanted = from.asked !== undefined || from.template.sandbox !== undefined
      const isUsed = isWanted && !(setting === 'off' && from.asked === undefined && from.template.isSandboxShipped)
      const unasked: Availability = { is: 'missing', reason: '' }
      return chooseSandbox({ ...from, setting, availability: isUsed ? await availability() : unasked })
    },
    async confine(sandbox, needs) {
      const here = await availability()
      if (here.is === 'missing') throw new HubError('unavailable', here.reason)
      return confine({
        sandbox,
        tools: here.tools,
        socat: here.socat,
        places,
        guarded: guardedDirectories(started(), places),
        needs,
      })
    },
    async reach(spec) {
      const here = await availability()
      return here.is === 'missing' ? undefined : reachOf(spec, here.tools)
    },
    guard(programs) {
      started = programs
    },
  }
}
