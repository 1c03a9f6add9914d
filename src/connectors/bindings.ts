/** The connectors of each session, with their labels and overrides. */
import { isDeepStrictEqual } from 'node:util'
import type { Connector, ConnectorUse, LegacyMcps, Overrides } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import type { BindingRecord, BindingStore, NewBinding } from './binding-store.ts'
import { checkConnector } from './check-connector.ts'
import type { ConnectorRecord, ConnectorStore } from './connector-store.ts'
import { toDraft } from './formats/entry.ts'
import { checkLabels, chooseLabel } from './labels.ts'
import { merge } from './merge.ts'
import type { SessionPlace } from './resolve.ts'
import type { Texts } from './texts/connector-texts.ts'

export interface BindOptions {
  readonly label?: string | undefined
  readonly overrides?: Overrides | undefined
  readonly priority?: number | undefined
}

/** A binding before it is stored, with the name of its connector. */
export interface PlannedBinding extends NewBinding {
  readonly connector: string
}

export interface Bindings {
  /** Sorted by label. */
  list(sessionId: string): Promise<readonly BindingRecord[]>
  find(session: SessionPlace, label: string): Promise<BindingRecord>
  /** Binding the same connector under the same label again updates the binding. */
  bind(session: SessionPlace, connector: string, options: BindOptions): Promise<BindingRecord>
  /** The binding that `bind` would store. Throws where `bind` would. */
  plan(session: SessionPlace, connector: string, options: BindOptions): Promise<PlannedBinding>
  unbind(session: SessionPlace, label: string): Promise<BindingRecord>
  /** Binds all or none. */
  bindAll(session: SessionPlace, uses: readonly ConnectorUse[]): Promise<readonly PlannedBinding[]>
  /** Registers the connectors whose names are new, and binds all. */
  bindLegacyMap(session: SessionPlace, map: LegacyMcps): Promise<readonly PlannedBinding[]>
}

export interface BindingsOptions {
  readonly connectors: ConnectorStore
  readonly bindings: BindingStore
  readonly findConnector: (name: string) => Promise<ConnectorRecord>
  /** Throws if a text contains the value of a variable that the hub knows to be secret. */
  readonly refuseKnown: (connector: Connector, written?: Texts) => void
  readonly onRegistered: (connector: Connector) => Promise<void>
}

export function createBindings(options: BindingsOptions): Bindings {
  const { connectors, bindings, findConnector, refuseKnown, onRegistered } = options

  /** Maps each label to its connector. */
  async function takenIn(sessionId: string): Promise<Map<string, string>> {
    const all = await bindings.ofSession(sessionId)
    return new Map(all.map(({ label, connector }) => [label, connector.connector.name]))
  }

  async function find({ id, name }: SessionPlace, label: string): Promise<BindingRecord> {
    const found = await bindings.find(id, label)
    if (found) return found
    const labels = [...(await takenIn(id)).keys()]
    const there = labels.length === 0 ? 'It has none.' : `It has ${labels.join(', ')}.`
    throw new HubError('not-found', `"label": the session "${name}" has no binding "${label}". ${there}`)
  }

  async function plan(session: SessionPlace, name: string, options: BindOptions): Promise<PlannedBinding> {
    const record = await findConnector(name)
    const { overrides = {}, priority = 0 } = options
    // The connector with its overrides must be valid too.
    refuseKnown(checkConnector(merge(record.connector, overrides)), textsOf(overrides))
    return {
      sessionId: session.id,
      connectorId: record.id,
      connector: name,
      label: chooseLabel(name, options.label),
      overrides,
      priority,
    }
  }

  async function insert(session: SessionPlace, planned: readonly PlannedBinding[]): Promise<void> {
    try {
      await bindings.insert(planned)
    } catch (error) {
      // Another request may have bound one of these labels since the check.
      checkLabels(planned, await takenIn(session.id))
      throw error
    }
  }

  async function bindAll(session: SessionPlace, uses: readonly ConnectorUse[]): Promise<readonly PlannedBinding[]> {
    const planned: PlannedBinding[] = []
    for (const use of uses) {
      const { connector, ...options } = typeof use === 'string' ? { connector: use } : use
      planned.push(await plan(session, connector, options))
    }
    checkLabels(planned, await takenIn(session.id))
    await insert(session, planned)
    return planned
  }

  return {
    list: (sessionId) => bindings.ofSession(sessionId),
    find,
    async plan(session, name, options) {
      const planned = await plan(session, name, options)
      const taken = await takenIn(session.id)
      if (taken.get(planned.label) !== name) checkLabels([planned], taken)
      return planned
    },
    async bind(session, name, options) {
      const planned = await plan(session, name, options)
      const taken = await takenIn(session.id)
      if (taken.get(planned.label) === name) await bindings.update(planned)
      else {
        checkLabels([planned], taken)
        await insert(session, [planned])
      }
      return find(session, planned.label)
    },
    async unbind(session, label) {
      const found = await find(session, label)
      await bindings.remove(session.id, label)
      return found
    },
    bindAll,
    async bindLegacyMap(session, map) {
      const wanted = [...definitionsIn(map).values()]
      // Check everything before registering anything.
      const labels = wanted.map(({ name }) => ({ connector: name, label: chooseLabel(name, undefined) }))
      checkLabels(labels, await takenIn(session.id))
      for (const connector of wanted) {
        refuseKnown(connector)
        const known = await connectors.find(connector.name)
        if (known) refuseOther(connector, known.connector)
      }
      for (const connector of wanted) {
        const { connector: kept, isNew } = await connectors.insertIfNew(connector)
        refuseOther(connector, kept)
        if (isNew) await onRegistered(connector)
      }
      return bindAll(
        session,
        wanted.map(({ name }) => name),
      )
    },
  }
}

function textsOf({ endpoint, cmd, args, headers, options }: Overrides): Texts {
  return { base_url: endpoint, cmd, args, headers, options }
}

function definitionsIn({ targets }: LegacyMcps): ReadonlyMap<string, Connector> {
  const wanted = new Map<string, Connector>()
  for (const { id, ...entry } of targets) {
    const connector = checkConnector(toDraft(id, entry).fields)
    const same = wanted.get(connector.name)
    if (same) refuseOther(connector, same)
    wanted.set(connector.name, connector)
  }
  return wanted
}

function refuseOther(asked: Connector, known: Connector): void {
  const fields = Object.keys({ ...known, ...asked }) as (keyof Connector)[]
  const field = fields.find((each) => !isDeepStrictEqual(asked[each], known[each]))
  if (field === undefined) return
  const [there, here] = [known[field], asked[field]].map((value) => JSON.stringify(value) ?? 'absent')
  throw new HubError(
    'conflict',
    `"mcps": there is another connector named "${asked.name}": its "${field}" is ${there}, and here it is ${here}. ` +
      'Give the target another "id", or bind the connector that is there with "connectors".',
  )
}
