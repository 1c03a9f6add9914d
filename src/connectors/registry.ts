/** Finds, saves and deletes connectors, and notifies the sessions that are bound to them. */
import type { Connector } from '../api/connector.ts'
import type { NewEvent } from '../api/event.ts'
import { HubError } from '../base/hub-error.ts'
import type { BindingStore, BoundSession } from './binding-store.ts'
import { checkConnector } from './check-connector.ts'
import type { ConnectorNotices } from './connector-notices.ts'
import type { SignalSender } from '../feature/feature.ts'
import type { ConnectorRecord, ConnectorStore } from './connector-store.ts'

export interface Registry {
  /** Sorted by name. */
  list(): Promise<readonly ConnectorRecord[]>
  find(name: string): Promise<ConnectorRecord>
  /** Adds the connector, or updates the one with the same name. */
  save(input: unknown): Promise<ConnectorRecord>
  /** Returns the sessions that lose it. */
  delete(name: string): Promise<readonly BoundSession[]>
  /** Applies all changes or none. Returns the affected sessions. */
  change(save: readonly Connector[], remove: readonly string[]): Promise<readonly BoundSession[]>
}

export type Note = (event: NewEvent) => Promise<void>

export interface RegistryOptions {
  readonly connectors: ConnectorStore
  readonly bindings: BindingStore
  readonly tell: ConnectorNotices
  readonly note: Note
  /** Throws if a text contains the value of a variable that the hub knows to be secret. */
  readonly refuseKnown: (connector: Connector) => void
  readonly signals: SignalSender
}

export function createRegistry(options: RegistryOptions): Registry {
  const { connectors, bindings, tell, note, refuseKnown, signals } = options

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
    // Read this first: the bindings of a removed connector are deleted with it.
    const sessions = (await Promise.all(names.map((name) => bindings.sessionsOf(name)))).flat()
    await connectors.apply({ save, remove })
    for (const connector of save) await note({ type: 'connector-saved', payload: { connector } })
    for (const name of remove) {
      await note({ type: 'connector-deleted', payload: { name } })
      signals.emit('connector-removed', { connector: name })
    }
    tell.connectors(names)
    for (const session of sessions) tell.session(session)
    for (const id of new Set(sessions.map((each) => each.id))) signals.emit('bindings-changed', { session: id })
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
