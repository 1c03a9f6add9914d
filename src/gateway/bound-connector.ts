/** A connector that a session is bound to, with the way to its upstream. */
import type { BoundConnector } from '../api/connector.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'

export interface ResolvedConnector extends Omit<BoundConnector, 'isEnabled'> {
  /** Identifies its configuration without secrets. */
  readonly fingerprint: string
  /** The same for all sessions that use the connector with the same settings. */
  readonly version: string
  /** The upstream, or the reason why it cannot be reached at all. */
  readonly target: UpstreamTarget | Error
}

/** Whether the tool names start with the mount's name in a session with these bindings. */
export function hasPrefixAmong(all: readonly ResolvedConnector[], bound: ResolvedConnector): boolean {
  return bound.hasPrefix || all.length > 1
}
