/** Caches the lists of upstreams, so that a list can be served before the upstream is up again. */
import { setImmediate as turn } from 'node:timers/promises'
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

/** Entries are stored unchanged. */
export interface KnownLists {
  readonly tools: readonly KnownEntry[]
  readonly resources: readonly KnownEntry[]
  readonly resourceTemplates: readonly KnownEntry[]
  readonly prompts: readonly KnownEntry[]
  /** The identity that the upstream reported. */
  readonly identity?: object | undefined
}

type KnownEntry = Readonly<Record<string, unknown>>

export interface KnownListStore {
  save(connectorId: string, fingerprint: string, lists: KnownLists): Promise<void>
  /** `undefined`: there are no lists for this configuration. */
  load(connectorId: string, fingerprint: string): Promise<KnownLists | undefined>
  /** The newest of any configuration. */
  last(connectorId: string): Promise<KnownLists | undefined>
  /** Deletes the lists that contain a secret. */
  dropSecrets(): Promise<void>
}

/** A configuration that names the session differs for each session, so the oldest lists are deleted. */
const mostPerConnector = 100
const mostBytesPerConnector = 64 * 1024 * 1024

/** Longer texts are not cached: storing and parsing them would block the hub for a moment. */
const longestText = 4 * 1024 * 1024
/** The scan for secrets lets other work run after this many characters. */
const pieceLength = 64 * 1024

/** Lists that contain a secret are not cached, so they always come from the upstream itself. */
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

  async function mayBeKept(lists: KnownLists): Promise<boolean> {
    let length = 0
    for (const piece of piecesOf(lists)) {
      length += piece.length
      if (length > longestText || holdsSecret(piece)) return false
      await turn()
    }
    return true
  }

  async function load(connectorId: string, fingerprint: string): Promise<KnownLists | undefined> {
    const row = await of(connectorId).select('lists').where('fingerprint', '=', fingerprint).executeTakeFirst()
    if (!row) return undefined
    if (row.lists.length <= longestText) {
      const lists = parse(row.lists)
      if (await mayBeKept(lists)) return lists
    }
    // The lists were stored before the secret was known, or by an earlier hub.
    await remove(connectorId, [fingerprint])
    return undefined
  }

  return {
    load,
    async last(connectorId) {
      const row = await of(connectorId).select('fingerprint').orderBy('updated_at', 'desc').limit(1).executeTakeFirst()
      return row && load(connectorId, row.fingerprint)
    },
    async save(connectorId, fingerprint, lists) {
      if (!(await mayBeKept(lists))) return remove(connectorId, [fingerprint])
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
        // The connector was deleted meanwhile, and its lists with it.
        return
      }
      const newestFirst = await of(connectorId)
        .select(({ fn }) => ['fingerprint', fn<number>('octet_length', ['lists']).as('bytes')])
        .orderBy('updated_at', 'desc')
        .execute()
      let bytes = 0
      const old = newestFirst.filter(
        (each, index) => (bytes += each.bytes) > mostBytesPerConnector || index >= mostPerConnector,
      )
      if (old.length === 0) return
      await remove(
        connectorId,
        old.map((each) => each.fingerprint),
      )
    },
    async dropSecrets() {
      const rows = await db.selectFrom('mcp_known_lists').select(['connector_id', 'fingerprint']).execute()
      for (const { connector_id: connectorId, fingerprint } of rows) {
        // Lists that cannot be read are useless, and they may contain a secret.
        await load(connectorId, fingerprint).catch(() => remove(connectorId, [fingerprint]))
      }
    },
  }
}

function parse(text: string): KnownLists {
  if (isNestedDeeper(text, deepestNesting)) throw new Error(`They are nested deeper than ${deepestNesting} levels.`)
  return knownLists.parse(parseExactly(text))
}

/** The text of all entries, in pieces that end at the end of an entry. */
function* piecesOf({ tools, resources, resourceTemplates, prompts, identity }: KnownLists): Generator<string> {
  let piece = ''
  for (const entry of [...tools, ...resources, ...resourceTemplates, ...prompts, identity ?? {}]) {
    piece += `${JSON.stringify(entry)}\n`
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  yield piece
}
