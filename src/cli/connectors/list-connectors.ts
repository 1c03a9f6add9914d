import { z } from 'zod'
import type { Binding } from '../../api/connector.ts'
import { bindingSchema, connectorSchema, connectorViewSchema } from '../../api/connector.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import { listAll } from '../hub-client/list-all.ts'

export const listedConnector = connectorSchema.extend({
  upstream: connectorViewSchema.shape.upstream,
  sessions: z.array(z.string()),
  consent: connectorViewSchema.shape.consent,
})
export type ListedConnector = z.output<typeof listedConnector>

/** Lists all connectors by name. */
export function listConnectors(hub: HubClient): Promise<readonly ListedConnector[]> {
  return listAll(hub, {
    tool: 'list_connectors',
    name: 'connectors',
    read: (items) => z.array(listedConnector).parse(items),
  })
}

/** Lists all bindings of a session by label. */
export function listBindings(hub: HubClient, session: string): Promise<readonly Binding[]> {
  return listAll(
    hub,
    { tool: 'list_bindings', name: 'bindings', read: (items) => z.array(bindingSchema).parse(items) },
    { session },
  )
}
