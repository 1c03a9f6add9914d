/**
 * The agent of the session: the official client, of the legacy era, so that all that 2026-07-28 asks of a client is done by
 * the hub or by nobody.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { originalKey } from '../../src/gateway/definitions.ts'
import { mountUri } from '../../src/gateway/mount-states.ts'
import type { Endpoint } from '../harness/modern-call.ts'

export interface Agent extends AsyncDisposable {
  /** How the mount of the suite's server stands. */
  mount(): Promise<MountState>
  /** Those of the suite's server. */
  tools(): Promise<readonly ListedTool[]>
  call(tool: ListedTool, args: Readonly<Record<string, unknown>>): Promise<void>
  readResources(): Promise<void>
  getPrompts(): Promise<void>
}

export interface ListedTool {
  /** As the hub names it. */
  readonly name: string
  /** As the suite's server does. */
  readonly original: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

const mountState = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['initializing', 'running']) }),
  z.object({ state: z.literal('failed'), error: z.string() }),
])
type MountState = z.output<typeof mountState>

const original = z.object({ [originalKey]: z.object({ mount: z.string(), tool: z.string().default('') }) })

export async function connectAgent({ url, token }: Endpoint, mount: string): Promise<Agent> {
  const client = new Client(
    { name: 'agent', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: { form: { applyDefaults: true } } } },
  )
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }))
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))

  /** What the mount calls it, or `undefined` where it is of another. */
  function ownName(meta: unknown): string | undefined {
    const found = original.safeParse(meta).data?.[originalKey]
    return found?.mount === mount ? found.tool : undefined
  }

  return {
    async mount() {
      const { contents } = await client.readResource({ uri: mountUri(mount) })
      return mountState.parse(JSON.parse(z.object({ text: z.string() }).parse(contents[0]).text))
    },
    async tools() {
      const { tools } = await client.listTools()
      return tools.flatMap(({ name, inputSchema, _meta }) => {
        const own = ownName(_meta)
        return own === undefined ? [] : [{ name, original: own, inputSchema }]
      })
    },
    async call({ name }, args) {
      await client.callTool({ name, arguments: args })
    },
    async readResources() {
      const { resources } = await client.listResources()
      for (const { uri } of resources.filter((each) => !each.uri.startsWith('resource:'))) {
        await client.readResource({ uri })
      }
    },
    async getPrompts() {
      const { prompts } = await client.listPrompts()
      for (const { name, _meta } of prompts) if (ownName(_meta) !== undefined) await client.getPrompt({ name })
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
