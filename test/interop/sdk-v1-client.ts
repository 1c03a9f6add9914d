/** `@modelcontextprotocol/sdk`, which speaks only the legacy revisions. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '../../src/mcp/wire.ts'
import { clientInfo, type Connect, countStreams, type LegacyTestClient, reconnection } from './test-client.ts'

export const connectV1: Connect<LegacyTestClient> = async ({ url, token }, options) => {
  const streams = countStreams()
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    reconnectionOptions: reconnection(options),
    fetch: streams.fetch,
  })
  const client = await openV1(transport)
  return { ...client, streamsOpened: streams.opened, connectionId: () => transport.sessionId }
}

/** Over any transport. */
export async function openV1(transport: Transport): Promise<Omit<LegacyTestClient, 'streamsOpened' | 'connectionId'>> {
  const notices: string[] = []
  const client = new Client(clientInfo)
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void notices.push(params.uri))
  await client.connect(transport)

  let watched: readonly string[] = []
  return {
    notices,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async callTool(name, args = {}, { signal, onProgress } = {}) {
      const { structuredContent } = await client.callTool({ name, arguments: args }, undefined, {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
      })
      return isRecord(structuredContent) ? structuredContent : {}
    },
    async readText(uri) {
      const [content] = (await client.readResource({ uri })).contents
      return content && 'text' in content ? content.text : ''
    },
    async watch(uris) {
      for (const uri of watched) await client.unsubscribeResource({ uri })
      for (const uri of uris) await client.subscribeResource({ uri })
      watched = uris
    },
    reopenNotices: () => client.notification({ method: 'notifications/initialized' }),
    [Symbol.asyncDispose]: () => client.close(),
  }
}
