import { z } from 'zod'
import type { Binding } from '../api/connector.ts'
import { bindingSchema, connectorSchema, upstreamStatusSchema } from '../api/connector.ts'
import type { HubConnection } from './hub-client.ts'
import { listAll } from './list-all.ts'

export const listedConnector = connectorSchema.extend({
  upstream: upstreamStatusSchema,
  sessions: z.array(z.string()),
})
export type ListedConnector = z.output<typeof listedConnector>

/** All of them, by name. */
export function listConnectors(hub: HubConnection): Promise<readonly ListedConnector[]> {
  return listAll(hub, { tool: 'list_connectors', name: 'connectors', item: listedConnector })
}

/** All of a session, by label. */
export function listBindings(hub: HubConnection, session: string): Promise<readonly Binding[]> {
  return listAll(hub, { tool: 'list_bindings', name: 'bindings', item: bindingSchema }, { session })
}
