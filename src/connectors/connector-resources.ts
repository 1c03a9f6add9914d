/** The resources `resource://connectors`, one connector, and the bindings of a session. */
import { isNotFound } from '../base/hub-error.ts'
import type { Resource, ResourceTemplate } from '../mcp/mcp.ts'
import { bindingsUri, connectorsUri, connectorUri } from './connector-notices.ts'
import type { ConnectorViews } from './connector-views.ts'
import type { ConnectorDesk } from './connector.ts'

const mimeType = 'application/json'

export function createConnectorResources(deps: {
  readonly connectors: Pick<ConnectorDesk, 'list' | 'find' | 'describeBindings'>
  readonly views: ConnectorViews
}): { resources(): readonly Resource[]; resourceTemplates(): readonly ResourceTemplate[] } {
  const { connectors, views } = deps
  const resources: readonly Resource[] = [
    {
      uri: connectorsUri,
      name: 'connectors',
      description: 'The MCP servers that sessions may be bound to.',
      mimeType,
      async read() {
        const all = await Promise.all((await connectors.list()).map((record) => views.connector(record)))
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
          (await connectors.list()).map(({ connector }) => connector.name).filter((name) => name.startsWith(value)),
      },
      read: (uri, { name }) =>
        ifThere(async () => contents(uri, await views.connector(await connectors.find(String(name))))),
    },
    {
      uriTemplate: bindingsUri('{id}'),
      name: 'session-mcp',
      description: 'The connectors of a session, by its name or id, and how their upstreams are.',
      mimeType,
      read: (uri, { id }) =>
        ifThere(async () => contents(uri, { bindings: await connectors.describeBindings(String(id)) })),
    },
  ]
  return { resources: () => resources, resourceTemplates: () => resourceTemplates }
}

/** Returns `undefined` if there is no such resource. */
async function ifThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function contents(uri: string, value: object) {
  return { contents: [{ uri, mimeType, text: JSON.stringify(value) }] }
}
