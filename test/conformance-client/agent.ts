/**
 * The agent of the session: the official client in the legacy era. So the hub itself must do everything that 2026-07-28
 * requires of a client.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { originalKey } from '../../src/gateway/definitions.ts'
import { mountUri } from '../../src/gateway/mount-uri.ts'
import type { Endpoint } from '../harness/modern-call.ts'

export interface Agent extends AsyncDisposable {
  /** The state of the mount of the suite's server. */
  mount(): Promise<MountState>
  /** The tools of the suite's server. */
  tools(): Promise<readonly ListedTool[]>
  call(tool: ListedTool, args: Readonly<Record<string, unknown>>): Promise<void>
  readResources(): Promise<void>
  getPrompts(): Promise<void>
}

export interface ListedTool {
  /** The name at the hub. */
  readonly name: string
  /** The name at the suite's server. */
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

  /** The mount's own name of an entry, or `undefined` if the entry belongs to another mount. */
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
