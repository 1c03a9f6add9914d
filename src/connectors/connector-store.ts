/** All SQL of connectors. */
import { randomUUID } from 'node:crypto'
import type { Connector } from '../api/connector.ts'
import { connectorSchema } from '../api/connector.ts'
import { defined } from '../base/defined.ts'
import { HubError } from '../base/hub-error.ts'
import type { ConnectorRow, Store } from '../store/store.ts'

export interface ConnectorRecord {
  readonly id: string
  readonly connector: Connector
  readonly createdAt: string
  readonly updatedAt: string
}

export interface ConnectorChanges {
  readonly save: readonly Connector[]
  readonly remove: readonly string[]
}

export interface ConnectorStore {
  /** Sorted by name. */
  list(): Promise<readonly ConnectorRecord[]>
  find(name: string): Promise<ConnectorRecord | undefined>
  /** In one transaction: adds new connectors, updates existing ones by name, and removes others. */
  apply(changes: ConnectorChanges): Promise<void>
  /** Returns the stored connector, which differs from the given one if the name existed before. */
  insertIfNew(connector: Connector): Promise<ConnectorRecord & { readonly isNew: boolean }>
}

export function createConnectorStore({ db }: Store): ConnectorStore {
  const rows = () => db.selectFrom('mcp_connectors').selectAll()

  async function find(name: string): Promise<ConnectorRecord | undefined> {
    const row = await rows().where('name', '=', name).executeTakeFirst()
    return row && toRecord(row)
  }

  return {
    list: async () => (await rows().orderBy('name').execute()).map(toRecord),
    find,
    async apply({ save, remove }) {
      await db.transaction().execute(async (transaction) => {
        for (const connector of save) {
          const row = newRow(connector)
          const { id: _id, created_at: _at, ...changed } = row
          await transaction
            .insertInto('mcp_connectors')
            .values(row)
            .onConflict((conflict) => conflict.column('name').doUpdateSet(changed))
            .execute()
        }
        if (remove.length > 0) await transaction.deleteFrom('mcp_connectors').where('name', 'in', remove).execute()
      })
    },
    async insertIfNew(connector) {
      const row = newRow(connector)
      await db
        .insertInto('mcp_connectors')
        .values(row)
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      const kept = await find(connector.name)
      if (!kept) throw new HubError('conflict', `The connector "${connector.name}" was deleted meanwhile. Try again.`)
      return { ...kept, isNew: kept.id === row.id }
    },
  }
}

function newRow(connector: Connector): ConnectorRow {
  const now = new Date().toISOString()
  const { name, kind, transport, base_url, cmd, args, env_keys, headers, options, strict, enabled } = connector
  return {
    id: randomUUID(),
    name,
    kind,
    transport,
    base_url: base_url ?? null,
    cmd: cmd ?? null,
    args: args ? JSON.stringify(args) : null,
    env_keys: JSON.stringify(env_keys),
    headers: headers ? JSON.stringify(headers) : null,
    options: JSON.stringify(options),
    strict: strict ? 1 : 0,
    enabled: enabled ? 1 : 0,
    created_at: now,
    updated_at: now,
  }
}

export function toRecord(row: ConnectorRow): ConnectorRecord {
  const fields = defined({
    name: row.name,
    transport: row.transport,
    base_url: row.base_url ?? undefined,
    cmd: row.cmd ?? undefined,
    args: parsed(row.args),
    env_keys: parsed(row.env_keys),
    headers: parsed(row.headers),
    options: parsed(row.options),
    strict: row.strict === 1,
    enabled: row.enabled === 1,
  })
  const connector = connectorSchema.parse(fields)
  return { id: row.id, connector, createdAt: row.created_at, updatedAt: row.updated_at }
}

function parsed(json: string | null): unknown {
  return json === null ? undefined : JSON.parse(json)
}
