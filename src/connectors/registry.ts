/** The registered connectors: found, saved and deleted, with those told who are bound to them. */
import type { Connector } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import type { BindingStore, BoundSession } from './binding-store.ts'
import { checkConnector } from './check-connector.ts'
import type { ConnectorNotices } from './connector-notices.ts'
import type { ConnectorRecord, ConnectorStore } from './connector-store.ts'

export interface Registry {
  /** By name. */
  list(): Promise<readonly ConnectorRecord[]>
  find(name: string): Promise<ConnectorRecord>
  /** Adds it, or changes the one of that name. */
  save(input: unknown): Promise<ConnectorRecord>
  /** Answers who loses it. */
  delete(name: string): Promise<readonly BoundSession[]>
  /** All of it or nothing. Answers whom it concerns. */
  change(save: readonly Connector[], remove: readonly string[]): Promise<readonly BoundSession[]>
}

export type Note = (type: string, payload: Readonly<Record<string, unknown>>, session?: string) => Promise<void>

export interface RegistryOptions {
  readonly connectors: ConnectorStore
  readonly bindings: BindingStore
  readonly tell: ConnectorNotices
  readonly note: Note
  /** Throws where something is written out that a variable stands for. */
  readonly refuseKnown: (connector: Connector) => void
  readonly onRemoved: (name: string) => void
  readonly onBindingsChange: (sessionId: string) => void
}

export function createRegistry(options: RegistryOptions): Registry {
  const { connectors, bindings, tell, note, refuseKnown, onRemoved, onBindingsChange } = options

  async function find(name: string): Promise<ConnectorRecord> {
    const found = await connectors.find(name)
    if (found) return found
    const names = (await connectors.list()).map(({ connector }) => connector.name)
    const there =
      names.length === 0 ? 'There are none yet; save_connector makes one.' : `There are ${names.join(', ')}.`
    throw new HubError('not-found', `There is no connector "${name}". ${there}`)
  }

  async function change(save: readonly Connector[], remove: readonly string[]): Promise<readonly BoundSession[]> {
    for (const connector of save) refuseKnown(connector)
    const names = [...save.map(({ name }) => name), ...remove]
    // Asked before: to what is gone nobody is bound any more.
    const sessions = (await Promise.all(names.map((name) => bindings.sessionsOf(name)))).flat()
    await connectors.apply({ save, remove })
    for (const connector of save) await note('connector-saved', { connector })
    for (const name of remove) {
      await note('connector-deleted', { name })
      onRemoved(name)
    }
    tell.connectors(names)
    for (const session of sessions) tell.session(session)
    for (const id of new Set(sessions.map((session) => session.id))) onBindingsChange(id)
    return sessions
  }

  return {
    list: () => connectors.list(),
    find,
    async save(input) {
      const connector = checkConnector(input)
      await change([connector], [])
      return find(connector.name)
    },
    async delete(name) {
      await find(name)
      return change([], [name])
    },
    change,
  }
}
