/** All SQL of bindings. */
import { randomUUID } from 'node:crypto'
import type { Overrides } from '../api/connector.ts'
import { overridesSchema } from '../api/connector.ts'
import { defined } from '../base/defined.ts'
import type { BindingRow, Store } from '../store/store.ts'
import type { ConnectorRecord } from './connector-store.ts'
import { toRecord as toConnectorRecord } from './connector-store.ts'

export interface NewBinding {
  readonly sessionId: string
  readonly connectorId: string
  readonly label: string
  readonly overrides: Overrides
  readonly priority: number
}

export interface BindingRecord extends NewBinding {
  readonly id: string
  readonly connector: ConnectorRecord
}

/** A session that a change of a connector affects. */
export interface BoundSession {
  readonly id: string
  readonly name: string
  readonly confined: object | undefined
  readonly label: string
  readonly overrides: Overrides
}

export interface BindingStore {
  /** Sorted by label, so that lists are the same each time. */
  ofSession(sessionId: string): Promise<readonly BindingRecord[]>
  find(sessionId: string, label: string): Promise<BindingRecord | undefined>
  /** Sessions that have not ended. */
  sessionsOf(connectorName: string): Promise<readonly BoundSession[]>
  /** The overrides of all bindings. */
  allOverrides(): Promise<readonly Overrides[]>
  /** Inserts all or none. Throws the database's error if a label is taken or a session is gone. */
  insert(bindings: readonly NewBinding[]): Promise<void>
  update(binding: NewBinding): Promise<void>
  remove(sessionId: string, label: string): Promise<void>
}

const endedStatuses = ['completed', 'failed', 'stopped']

export function createBindingStore({ db }: Store): BindingStore {
  const joined = () =>
    db
      .selectFrom('mcp_session_bindings as binding')
      .innerJoin('mcp_connectors as connector', 'connector.id', 'binding.connector_id')

  async function read(sessionId: string, label?: string): Promise<readonly BindingRecord[]> {
    let bindings = db.selectFrom('mcp_session_bindings').selectAll().where('session_id', '=', sessionId)
    let connectors = joined().selectAll('connector').where('binding.session_id', '=', sessionId)
    if (label !== undefined) {
      bindings = bindings.where('label', '=', label)
      connectors = connectors.where('binding.label', '=', label)
    }
    const byId = new Map((await connectors.execute()).map((row) => [row.id, toConnectorRecord(row)]))
    return (await bindings.orderBy('label').execute()).flatMap((row) => {
      const connector = byId.get(row.connector_id)
      // The connector was deleted between the two queries.
      return connector ? [toRecord(row, connector)] : []
    })
  }

  return {
    ofSession: (sessionId) => read(sessionId),
    find: async (sessionId, label) => (await read(sessionId, label))[0],
    async sessionsOf(connectorName) {
      const rows = await joined()
        .innerJoin('sessions', 'sessions.id', 'binding.session_id')
        .selectAll('binding')
        .select(['sessions.name', 'sessions.confined'])
        .where('connector.name', '=', connectorName)
        .where('sessions.status', 'not in', endedStatuses)
        .orderBy('sessions.name')
        .orderBy('binding.label')
        .execute()
      return rows.map((row) => ({
        id: row.session_id,
        name: row.name,
        confined: row.confined === null ? undefined : (JSON.parse(row.confined) as object),
        label: row.label,
        overrides: toOverrides(row),
      }))
    },
    allOverrides: async () => (await db.selectFrom('mcp_session_bindings').selectAll().execute()).map(toOverrides),
    async insert(bindings) {
      await db.transaction().execute(async (transaction) => {
        for (const binding of bindings)
          await transaction.insertInto('mcp_session_bindings').values(newRow(binding)).execute()
      })
    },
    async update(binding) {
      const { id: _id, created_at: _at, ...changed } = newRow(binding)
      await db
        .updateTable('mcp_session_bindings')
        .set(changed)
        .where('session_id', '=', binding.sessionId)
        .where('label', '=', binding.label)
        .execute()
    },
    async remove(sessionId, label) {
      await db
        .deleteFrom('mcp_session_bindings')
        .where('session_id', '=', sessionId)
        .where('label', '=', label)
        .execute()
    },
  }
}

function newRow({ sessionId, connectorId, label, overrides, priority }: NewBinding): BindingRow {
  const now = new Date().toISOString()
  const { transport, endpoint, cmd, args, env_keys, headers, options, strict } = overrides
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  return {
    id: randomUUID(),
    session_id: sessionId,
    connector_id: connectorId,
    label,
    transport_override: transport ?? null,
    endpoint_override: endpoint ?? null,
    cmd_override: cmd ?? null,
    args_override: json(args),
    env_keys_override: json(env_keys),
    headers_override: json(headers),
    options_override: json(options),
    strict_override: strict === undefined ? null : strict ? 1 : 0,
    priority,
    created_at: now,
    updated_at: now,
  }
}

function toOverrides(row: BindingRow): Overrides {
  const parsed = (text: string | null): unknown => (text === null ? undefined : JSON.parse(text))
  const overrides = {
    transport: row.transport_override ?? undefined,
    endpoint: row.endpoint_override ?? undefined,
    cmd: row.cmd_override ?? undefined,
    args: parsed(row.args_override),
    env_keys: parsed(row.env_keys_override),
    headers: parsed(row.headers_override),
    options: parsed(row.options_override),
    strict: row.strict_override === null ? undefined : row.strict_override === 1,
  }
  return overridesSchema.parse(defined(overrides))
}

function toRecord(row: BindingRow, connector: ConnectorRecord): BindingRecord {
  return {
    id: row.id,
    sessionId: row.session_id,
    connectorId: row.connector_id,
    label: row.label,
    overrides: toOverrides(row),
    priority: row.priority,
    connector,
  }
}
