import { z } from 'zod'
import type { Binding } from '../api/connector.ts'
import { bindingSchema, connectorSchema, upstreamStatusSchema } from '../api/connector.ts'
import { ask } from './ask-hub.ts'
import type { HubConnection } from './hub-client.ts'

export const listedConnector = connectorSchema.extend({
  upstream: upstreamStatusSchema,
  sessions: z.array(z.string()),
})
export type ListedConnector = z.output<typeof listedConnector>

const connectorPage = z.object({ connectors: z.array(listedConnector), next_cursor: z.string().optional() })
const bindingPage = z.object({ bindings: z.array(bindingSchema), next_cursor: z.string().optional() })

/** All of them, by name. */
export async function listConnectors(hub: HubConnection): Promise<readonly ListedConnector[]> {
  const found: ListedConnector[] = []
  let cursor: string | undefined
  do {
    const answer = await ask(hub, 'list_connectors', { limit: 1_000, ...(cursor !== undefined && { cursor }) })
    const page = connectorPage.parse(answer)
    found.push(...page.connectors)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return found
}

/** All of a session, by label. */
export async function listBindings(hub: HubConnection, session: string): Promise<readonly Binding[]> {
  const found: Binding[] = []
  let cursor: string | undefined
  do {
    const answer = await ask(hub, 'list_bindings', { session, limit: 1_000, ...(cursor !== undefined && { cursor }) })
    const page = bindingPage.parse(answer)
    found.push(...page.bindings)
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return found
}
