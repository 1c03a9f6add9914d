/** The tools of all mounts, as policies name them, from the faces of sessions and the cached lists of connectors. */
import { ownMounts } from '../api/connector.ts'
import { searchedToolsets } from '../api/toolsets.ts'
import { actionPolicyName, mountActions, toolPolicyName } from '../api/policy-names.ts'
import type { FaceContents } from '../mcp/mcp.ts'
import type { KnownMount } from '../policy/policy.ts'
import type { MountLists } from './mount-lists.ts'
import { ownMountOf, policyNames } from './names.ts'

/** The label is the one that a binding gets. `undefined`: it was never reached. */
export interface ConnectorLists {
  readonly label: string
  readonly lists: MountLists | undefined
}

export function knownMounts(
  faces: readonly Pick<FaceContents, 'tools'>[],
  connectors: readonly ConnectorLists[],
): readonly KnownMount[] {
  const seen = [...new Set(faces.flatMap((face) => face.tools(searchedToolsets).map((tool) => policyNames(tool).tool)))]
  const own = ownMounts.map((mount) => {
    const tools = seen.filter((name) => ownMountOf(name) === mount)
    return { mount, tools: tools.length > 0 ? tools : undefined }
  })
  const others = { mount: 'others', tools: seen.filter((name) => ownMountOf(name) === undefined) }
  return [...own, others, ...connectors.map(ofConnector)]
}

function ofConnector({ label, lists }: ConnectorLists): KnownMount {
  const names = lists?.tools.flatMap(({ name }) => (typeof name === 'string' ? [toolPolicyName(label, name)] : []))
  return { mount: label, tools: names && [...names, ...mountActions.map((action) => actionPolicyName(label, action))] }
}
