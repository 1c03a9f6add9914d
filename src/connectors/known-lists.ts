/** What upstreams last listed, so that a list can be served before they are up again. */
import { z } from 'zod'
import type { Store } from '../store/store.ts'

/** Entries are kept as they came. */
const knownLists = z.object({
  tools: z.array(z.looseObject({ name: z.string() })),
  resources: z.array(z.looseObject({ uri: z.string() })),
  resourceTemplates: z.array(z.looseObject({ uriTemplate: z.string() })),
  prompts: z.array(z.looseObject({ name: z.string() })),
  identity: z.looseObject({}).optional(),
})
export type KnownLists = z.output<typeof knownLists>

export interface KnownListStore {
  save(connectorId: string, fingerprint: string, lists: KnownLists): Promise<void>
  /** `undefined`: never listed under this configuration. */
  load(connectorId: string, fingerprint: string): Promise<KnownLists | undefined>
}

/** A configuration that names the session is another for each; the oldest go. */
const mostPerConnector = 100

export function createKnownListStore({ db }: Store): KnownListStore {
  const of = (connectorId: string) => db.selectFrom('mcp_known_lists').where('connector_id', '=', connectorId)

  return {
    async save(connectorId, fingerprint, lists) {
      const row = {
        connector_id: connectorId,
        fingerprint,
        lists: JSON.stringify(lists),
        updated_at: new Date().toISOString(),
      }
      // A connector that was deleted meanwhile takes its lists along.
      const isThere = await db
        .selectFrom('mcp_connectors')
        .select('id')
        .where('id', '=', connectorId)
        .executeTakeFirst()
      if (!isThere) return
      await db
        .insertInto('mcp_known_lists')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['connector_id', 'fingerprint'])
            .doUpdateSet({ lists: row.lists, updated_at: row.updated_at }),
        )
        .execute()
      const old = await of(connectorId)
        .select('fingerprint')
        .orderBy('updated_at', 'desc')
        .limit(mostPerConnector)
        .offset(mostPerConnector)
        .execute()
      if (old.length === 0) return
      await db
        .deleteFrom('mcp_known_lists')
        .where('connector_id', '=', connectorId)
        .where(
          'fingerprint',
          'in',
          old.map((each) => each.fingerprint),
        )
        .execute()
    },
    async load(connectorId, fingerprint) {
      const row = await of(connectorId).select('lists').where('fingerprint', '=', fingerprint).executeTakeFirst()
      return row && knownLists.parse(JSON.parse(row.lists))
    },
  }
}
