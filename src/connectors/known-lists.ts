/** What upstreams last listed, so that a list can be served before they are up again. */
import { z } from 'zod'
import type { Store } from '../store/store.ts'

const entries = z.array(z.record(z.string(), z.unknown()))
const knownLists = z.object({
  tools: entries,
  resources: entries,
  resourceTemplates: entries,
  prompts: entries,
  identity: z.record(z.string(), z.unknown()).optional(),
})

/** Entries are kept as they came. */
export interface KnownLists {
  readonly tools: readonly KnownEntry[]
  readonly resources: readonly KnownEntry[]
  readonly resourceTemplates: readonly KnownEntry[]
  readonly prompts: readonly KnownEntry[]
  /** What the upstream said of itself. */
  readonly identity?: object | undefined
}

type KnownEntry = Readonly<Record<string, unknown>>

export interface KnownListStore {
  save(connectorId: string, fingerprint: string, lists: KnownLists): Promise<void>
  /** `undefined`: never listed under this configuration. */
  load(connectorId: string, fingerprint: string): Promise<KnownLists | undefined>
}

/** A configuration that names the session is another for each; the oldest go. */
const mostPerConnector = 100

export function createKnownListStore({ db }: Store): KnownListStore {
  const of = (connectorId: string) => db.selectFrom('mcp_known_lists').where('connector_id', '=', connectorId)

  async function isThere(connectorId: string): Promise<boolean> {
    const row = await db.selectFrom('mcp_connectors').select('id').where('id', '=', connectorId).executeTakeFirst()
    return row !== undefined
  }

  return {
    async save(connectorId, fingerprint, lists) {
      const row = {
        connector_id: connectorId,
        fingerprint,
        lists: JSON.stringify(lists),
        updated_at: new Date().toISOString(),
      }
      const insert = db
        .insertInto('mcp_known_lists')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['connector_id', 'fingerprint'])
            .doUpdateSet({ lists: row.lists, updated_at: row.updated_at }),
        )
      try {
        await insert.execute()
      } catch (error) {
        if (await isThere(connectorId)) throw error
        // Deleted meanwhile: its lists go with it.
        return
      }
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
