/** Who is told when connectors and bindings change. */
import type { Notices } from '../mcp/mcp.ts'

export const connectorsUri = 'resource://connectors'

export function connectorUri(name: string): string {
  return `${connectorsUri}/${name}`
}

export function bindingsUri(nameOrId: string): string {
  return `resource://sessions/${nameOrId}/mcp`
}

export interface ConnectorNotices {
  connectors(names: readonly string[]): void
  /** Its bindings, or one of their upstreams. */
  session(session: { readonly id: string; readonly name: string }): void
}

export function createConnectorNotices(notices: Notices): ConnectorNotices {
  return {
    connectors(names) {
      notices.resourceChanged(connectorsUri)
      for (const name of names) notices.resourceChanged(connectorUri(name))
    },
    session({ id, name }) {
      // Whoever follows it may know it by either.
      notices.resourceChanged(bindingsUri(id))
      notices.resourceChanged(bindingsUri(name))
    },
  }
}
