/**
 * Sandboxes: a confined program sees its workspace and what its sandbox names, and nothing else of the person's. They are
 * made by bubblewrap, around the whole program (docs/guides/sandbox.md).
 */
import type { Sandbox } from '../api/sandbox.ts'
import type { Confinement } from '../base/confinement.ts'
import { HubError } from '../base/hub-error.ts'
import type { Reach } from '../base/start-program.ts'
import type { Folder } from '../base/open-inside.ts'
import type { Choice, ChosenFrom, SandboxSetting } from './choose.ts'
import { chooseSandbox } from './choose.ts'
import type { HubPlaces, ProgramNeeds } from './confine.ts'
import { confine, workspaceFolder, writtenBefore } from './confine.ts'
import { createAgentPlaces } from './agent-places.ts'
import { isInside } from './mounts.ts'
import type { Availability } from './probe.ts'
import { probe } from './probe.ts'
import type { StartedPrograms } from './program-guards.ts'
import { guardedDirectories } from './program-guards.ts'
import type { ReachSpec } from './reach.ts'
import { reachOf } from './reach.ts'

export type { Choice } from './choose.ts'
export { probe as probeSandbox } from './probe.ts'
export type { Mount } from './mounts.ts'
export type { ConfineProgram, HubProgram } from './hub-program.ts'
export { namedTargets } from './named-paths.ts'
export { reachOf } from './reach.ts'
export type { ReachSpec } from './reach.ts'

export interface Sandboxes {
  readonly setting: SandboxSetting
  /** Whether a session is confined. Throws if it must not start. */
  choose(from: Pick<ChosenFrom, 'asked' | 'template' | 'backend'>): Promise<Choice>
  /** What is at the path of a workspace. Throws if an agent may have put a link there. */
  folderOf(workspace: string): Folder
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
  /** The file that keeps the places that confined programs have written. */
  readonly agentPlacesFile: string
}

export function createSandboxes({ setting, places, agentPlacesFile }: SandboxesOptions): Sandboxes {
  const agentPlaces = createAgentPlaces(agentPlacesFile)
  let found: Availability | undefined
  let started = (): StartedPrograms => ({ searchPath: '', files: [] })

  /** Remembers only success, because a missing part may be installed at any time. */
  async function availability(): Promise<Availability> {
    if (found?.is !== 'available') found = await probe(places.dataDirectory)
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
    folderOf: (workspace) => workspaceFolder(workspace, writtenBefore(agentPlaces.all(), places)),
    async confine(sandbox, needs) {
      const here = await availability()
      if (here.is === 'missing') throw new HubError('unavailable', here.reason)
      const { tools, limits, socat } = here
      const guarded = guardedDirectories(started(), places)
      const known = agentPlaces.all()
      const confinement = confine({ sandbox, tools, limits, socat, places, guarded, needs, agentPlaces: known })
      const written = confinement.written.map(({ folder }) => folder.path)
      // Nothing in the folders of sessions is named by a sandbox.
      agentPlaces.add(written.filter((path) => !isInside(path, places.dataDirectory)))
      return confinement
    },
    async reach(spec) {
      const here = await availability()
      return here.is === 'missing' ? undefined : reachOf(spec, here)
    },
    guard(programs) {
      started = programs
    },
  }
}
