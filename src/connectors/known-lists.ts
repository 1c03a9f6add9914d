/** What upstreams last listed, so that a list can be served before they are up again. */
import { z } from 'zod'
import { parseExactly } from '../base/exact-numbers.ts'
import { deepestNesting, isNestedDeeper } from '../base/json-nesting.ts'
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
  /** Those that hold one go. */
  dropSecrets(): Promise<void>
}

/** A configuration that names the session is another for each; the oldest go. */
const mostPerConnector = 100

/** `holdsSecret`: lists in which an upstream tells its secrets are not kept; whoever wants them asks the upstream. */
export function createKnownListStore({ db }: Store, holdsSecret: (text: string) => boolean): KnownListStore {
  const of = (connectorId: string) => db.selectFrom('mcp_known_lists').where('connector_id', '=', connectorId)

  async function isThere(connectorId: string): Promise<boolean> {
    const row = await db.selectFrom('mcp_connectors').select('id').where('id', '=', connectorId).executeTakeFirst()
    return row !== undefined
  }

  async function remove(connectorId: string, fingerprints: readonly string[]): Promise<void> {
    const rows = db.deleteFrom('mcp_known_lists').where('connector_id', '=', connectorId)
    await rows.where('fingerprint', 'in', fingerprints).execute()
  }

  async function read(connectorId: string, fingerprint: string): Promise<string | undefined> {
    const row = await of(connectorId).select('lists').where('fingerprint', '=', fingerprint).executeTakeFirst()
    if (!row || !holdsSecret(row.lists)) return row?.lists
    // Kept before it was known to be a secret, or by an earlier hub.
    await remove(connectorId, [fingerprint])
    return undefined
  }

  return {
    async save(connectorId, fingerprint, lists) {
      const row = {
        connector_id: connectorId,
        fingerprint,
        lists: JSON.stringify(lists),
        updated_at: new Date().toISOString(),
      }
      if (holdsSecret(row.lists)) return remove(connectorId, [fingerprint])
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
      await remove(
        connectorId,
        old.map((each) => each.fingerprint),
      )
    },
    async load(connectorId, fingerprint) {
      const lists = await read(connectorId, fingerprint)
      if (lists === undefined) return undefined
      if (isNestedDeeper(lists, deepestNesting))
        throw new Error(`They are nested deeper than ${deepestNesting} levels.`)
      return knownLists.parse(parseExactly(lists))
    },
    async dropSecrets() {
      const rows = await db.selectFrom('mcp_known_lists').select(['connector_id', 'fingerprint']).execute()
      for (const { connector_id: connectorId, fingerprint } of rows) await read(connectorId, fingerprint)
    },
  }
}
