/** `resource://connectors`, one connector, and what a session is bound to. */
import { HubError } from '../base/hub-error.ts'
import type { Binding } from '../api/connector.ts'
import type { Resource, ResourceTemplate } from '../mcp/mcp.ts'
import { bindingsUri, connectorsUri, connectorUri } from './connector-notices.ts'
import type { ConnectorRecord } from './connector-store.ts'
import type { ConnectorViews } from './connector-views.ts'

const mimeType = 'application/json'

export function createConnectorResources(deps: {
  readonly list: () => Promise<readonly ConnectorRecord[]>
  readonly find: (name: string) => Promise<ConnectorRecord | undefined>
  readonly views: ConnectorViews
  readonly bindingsView: (nameOrId: string) => Promise<readonly Binding[]>
}): { resources(): readonly Resource[]; resourceTemplates(): readonly ResourceTemplate[] } {
  const { list, find, views, bindingsView } = deps
  const resources: readonly Resource[] = [
    {
      uri: connectorsUri,
      name: 'connectors',
      description: 'The MCP servers that sessions may be bound to.',
      mimeType,
      async read() {
        const all = await Promise.all((await list()).map((record) => views.connector(record)))
        return contents(connectorsUri, { connectors: all })
      },
    },
  ]
  const resourceTemplates: readonly ResourceTemplate[] = [
    {
      uriTemplate: connectorUri('{name}'),
      name: 'connector',
      description: 'One connector, by name.',
      mimeType,
      complete: {
        name: async (value) =>
          (await list()).map(({ connector }) => connector.name).filter((name) => name.startsWith(value)),
      },
      async read(uri, { name }) {
        const found = await find(String(name))
        return found && contents(uri, await views.connector(found))
      },
    },
    {
      uriTemplate: bindingsUri('{id}'),
      name: 'session-mcp',
      description: 'The connectors of a session, by its name or id, and how their upstreams are.',
      mimeType,
      async read(uri, { id }) {
        try {
          return contents(uri, { bindings: await bindingsView(String(id)) })
        } catch (error) {
          if (error instanceof HubError && error.code === 'not-found') return undefined
          throw error
        }
      },
    },
  ]
  return { resources: () => resources, resourceTemplates: () => resourceTemplates }
}

function contents(uri: string, value: object) {
  return { contents: [{ uri, mimeType, text: JSON.stringify(value) }] }
}
