/** `@modelcontextprotocol/client`, which speaks both eras. */
import {
  Client,
  type McpSubscription,
  StreamableHTTPClientTransport,
  type Transport,
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
  const { transport, streams } = openHttp(endpoint, options)
  const client = await openV2Legacy(transport)
  return { ...client, streamsOpened: streams.opened, connectionId: () => transport.sessionId }
}

export const connectV2Modern: Connect<ModernTestClient> = async (endpoint, options) => {
  const { transport } = openHttp(endpoint, options)
  return { ...(await openV2Modern(transport)), connectionId: () => transport.sessionId }
}

/** Over any transport. */
export async function openV2Legacy(
  transport: Transport,
): Promise<Omit<LegacyTestClient, 'streamsOpened' | 'connectionId'>> {
  const { client, common } = await open(transport, 'legacy')
  let watched: readonly string[] = []
  return {
    ...common,
    async watch(uris) {
      for (const uri of watched) await client.unsubscribeResource({ uri })
      for (const uri of uris) await client.subscribeResource({ uri })
      watched = uris
    },
    reopenNotices: () => client.notification({ method: 'notifications/initialized' }),
  }
}

/** Over any transport. */
export async function openV2Modern(transport: Transport): Promise<Omit<ModernTestClient, 'connectionId'>> {
  const { client, common } = await open(transport, { pin: modernVersion })
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

/** The part that both eras share. */
async function open(transport: Transport, mode: VersionNegotiationMode) {
  const notices: string[] = []
  const client = new Client(clientInfo, { versionNegotiation: { mode } })
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void notices.push(params.uri))
  await client.connect(transport)
  const common: Omit<TestClient, 'watch' | 'connectionId'> = {
    notices,
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async callTool(name, args = {}, { signal, onProgress } = {}) {
      const { structuredContent } = await client.callTool(
        { name, arguments: args },
        {
          ...(signal && { signal }),
          ...(onProgress && { onprogress: ({ progress, message }) => onProgress(progress, message) }),
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
  return { client, common }
}

function openHttp({ url, token }: Endpoint, options: ConnectOptions | undefined) {
  const streams = countStreams()
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    reconnectionOptions: reconnection(options),
    fetch: streams.fetch,
  })
  return { transport, streams }
}
