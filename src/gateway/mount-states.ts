/** `resource://mounts/{mount}`: whether the tools of a mount are there, of the hub's own mounts too. */
import { ownMounts } from '../api/connector.ts'
import { searchedToolsets } from '../api/toolsets.ts'
import type { FaceContents, Provider } from '../mcp/mcp.ts'
import { mountsPrefix, mountUri } from './mount-uri.ts'
import type { MountState } from './mount.ts'
import { ownMountOf } from './names.ts'
import { warningOf } from './own-resources.ts'
import type { SessionMounts } from './session-mounts.ts'

export function createMountStates(mounts: SessionMounts, face: FaceContents): Provider {
  function ownState(label: string): MountState | undefined {
    const tools = namesOf(face).filter((name) => ownMountOf(name) === label)
    return tools.length > 0 ? { state: 'running', tools } : undefined
  }

  function stateOf(label: string): (MountState & { readonly warning?: string }) | undefined {
    const mount = mounts.mounts.find(({ bound }) => bound.label === label)
    const warning = mount && warningOf(mount, mounts.ownResources())
    return mount && { ...mount.state, ...(warning !== undefined && { warning }) }
  }

  function labels(): readonly string[] {
    const own = ownMounts.filter((label) => ownState(label) !== undefined)
    return [...own, ...mounts.mounts.map(({ bound }) => bound.label)]
  }

  const template = {
    uriTemplate: mountUri('{mount}'),
    name: 'mount',
    description: 'Whether the tools of a mount are there: initializing, running with their names, or failed and why.',
    mimeType: 'application/json',
    complete: { mount: (value: string) => labels().filter((label) => label.startsWith(value)) },
    async read(uri: string) {
      const label = uri.slice(mountsPrefix.length)
      const state = stateOf(label) ?? ownState(label)
      return state && { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(state) }] }
    },
  }
  return { toolset: 'connectors', resourceTemplates: () => [template] }
}

function namesOf(face: FaceContents): readonly string[] {
  return face.tools(searchedToolsets).map(({ name }) => name)
}
