/** Notices for the subscribers of connectors and bindings. */
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
  /** For new output of one of its upstreams, which no list shows. */
  output(connector: string): void
  /** For a change of the session's bindings, or of one of their upstreams. */
  session(session: { readonly id: string; readonly name: string }): void
}

export function createConnectorNotices(notices: Notices): ConnectorNotices {
  return {
    connectors(names) {
      notices.resourceChanged(connectorsUri)
      for (const name of names) notices.resourceChanged(connectorUri(name))
    },
    output: (connector) => notices.resourceChanged(connectorUri(connector)),
    session({ id, name }) {
      // Clients may subscribe to a session by its id or by its name.
      notices.resourceChanged(bindingsUri(id))
      notices.resourceChanged(bindingsUri(name))
    },
  }
}
