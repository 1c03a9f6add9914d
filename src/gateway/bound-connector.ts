/** What the gateway is told of a connector that a session is bound to. */
import type { UpstreamTarget } from '../mcp/mcp.ts'

export interface BoundConnector {
  /** The mount. */
  readonly label: string
  readonly connector: string
  readonly connectorId: string
  readonly priority: number
  /** False: tools keep their names, where the session is bound to nothing else. */
  readonly hasPrefix: boolean
  /** One upstream for all sessions that are bound to the connector with the same settings. */
  readonly isShared: boolean
  /** Of its configuration without secrets. */
  readonly fingerprint: string
  /** Or why it cannot be reached at all. */
  readonly target: UpstreamTarget | Error
}

/** Whether the names of its tools begin with the mount's, in a session that is bound to all of these. */
export function hasPrefixAmong(all: readonly BoundConnector[], bound: BoundConnector): boolean {
  return bound.hasPrefix || all.length > 1
}
