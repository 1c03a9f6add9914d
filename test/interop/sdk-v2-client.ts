/** `@modelcontextprotocol/client`, the line that speaks both eras. */
import {
  Client,
  type McpSubscription,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { isRecord, modernVersion } from '../../src/mcp/wire.ts'
import type { Endpoint } from '../harness/modern-call.ts'
import {
  clientInfo,
  type Connect,
  type ConnectOptions,
  countStreams,
  type LegacyTestClient,
  type ModernTestClient,
  reconnection,
  type TestClient,
} from './test-client.ts'

export const connectV2Legacy: Connect<LegacyTestClient> = async (endpoint, options) => {
  const { client, common, streams } = await open(endpoint, 'legacy', options)
  let watched: readonly string[] = []
  return {
    ...common,
    streamsOpened: streams.opened,
    async watch(uris) {
      for (const uri of watched) await client.unsubscribeResource({ uri })
      for (const uri of uris) await client.subscribeResource({ uri })
      watched = uris
    },
    reopenNotices: () => client.notification({ method: 'notifications/initialized' }),
  }
}

export const connectV2Modern: Connect<ModernTestClient> = async (endpoint, options) => {
  const { client, common } = await open(endpoint, { pin: modernVersion }, options)
  let subscription: McpSubscription | undefined
  return {
    ...common,
    async watch(uris) {
      await subscription?.close()
      subscription = await client.listen({ resourceSubscriptions: [...uris] })
    },
    watchEnded: () => subscription?.closed,
  }
}

/** What both eras do alike. */
async function open({ url, token }: Endpoint, mode: VersionNegotiationMode, options: ConnectOptions | undefined) {
  const notices: string[] = []
  const streams = countStreams()
  const client = new Client(clientInfo, { versionNegotiation: { mode } })
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void notices.push(params.uri))
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    reconnectionOptions: reconnection(options),
    fetch: streams.fetch,
  })
  await client.connect(transport)
  const common: Omit<TestClient, 'watch'> = {
    notices,
    connectionId: () => transport.sessionId,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async callTool(name, args = {}, { signal, onProgress } = {}) {
      const { structuredContent } = await client.callTool(
        { name, arguments: args },
        {
          ...(signal && { signal }),
          ...(onProgress && { onprogress: ({ progress }) => onProgress(progress) }),
        },
      )
      return isRecord(structuredContent) ? structuredContent : {}
    },
    async readText(uri) {
      const [content] = (await client.readResource({ uri })).contents
      return content && 'text' in content ? content.text : ''
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
  return { client, common, streams }
}
