/**
 * Sandboxes: a confined program sees its workspace and what its sandbox names, and nothing else of the person's. They are
 * made by bubblewrap, around the whole program (docs/guides/sandbox.md).
 */
import type { Sandbox } from '../api/sandbox.ts'
import type { Confinement } from '../base/confinement.ts'
import { HubError } from '../base/hub-error.ts'
import type { Folder } from '../base/open-inside.ts'
import type { Choice, ChosenFrom, SandboxSetting } from './choose.ts'
import { chooseSandbox } from './choose.ts'
import type { HubPlaces, ProgramNeeds } from './confine.ts'
import { confine, workspaceFolder, writtenBefore } from './confine.ts'
import { createAgentPlaces } from './agent-places.ts'
import type { Availability } from './probe.ts'
import { probe } from './probe.ts'

export { probe as probeSandbox } from './probe.ts'

export interface Sandboxes {
  readonly setting: SandboxSetting
  /** Whether a session is confined. Throws if it must not start. */
  choose(from: Pick<ChosenFrom, 'asked' | 'template' | 'backend'>): Promise<Choice>
  /** What is at the path of a workspace. Throws if an agent may have put a link there. */
  folderOf(workspace: string): Folder
  /** Throws if it cannot be made, or would show what must stay hidden. */
  confine(sandbox: Sandbox, needs: ProgramNeeds): Promise<Confinement>
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
    folderOf: (workspace) => workspaceFolder(workspace, writtenBefore(agentPlaces.all(), places)),
    async confine(sandbox, needs) {
      const here = await availability()
      if (here.is === 'missing') throw new HubError('unavailable', here.reason)
      const { tools, socat } = here
      const confinement = confine({ sandbox, tools, socat, places, needs, agentPlaces: agentPlaces.all() })
      agentPlaces.add(confinement.written.map(({ folder }) => folder.path))
      return confinement
    },
  }
}
