/** Which session uses which connectors, under which label, with what changed. */
import { isDeepStrictEqual } from 'node:util'
import type { Connector, ConnectorUse, LegacyMcps, Overrides } from '../api/connector.ts'
import { overridesSchema } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import type { BindingRecord, BindingStore, NewBinding } from './binding-store.ts'
import { checkConnector, refuseSecrets } from './check-connector.ts'
import type { ConnectorRecord, ConnectorStore } from './connector-store.ts'
import { toDraft } from './formats/entry.ts'
import { checkLabel, chooseLabel } from './labels.ts'
import { merge } from './merge.ts'
import type { SessionPlace } from './resolve.ts'

export interface BindOptions {
  readonly label?: string | undefined
  readonly overrides?: Overrides | undefined
  readonly priority?: number | undefined
}

export interface Bindings {
  /** In the order of their labels. */
  list(sessionId: string): Promise<readonly BindingRecord[]>
  find(session: SessionPlace, label: string): Promise<BindingRecord>
  /** The same connector under the same label again changes what is there. */
  bind(session: SessionPlace, connector: string, options: BindOptions): Promise<BindingRecord>
  unbind(session: SessionPlace, label: string): Promise<BindingRecord>
  /** All of them or none. */
  bindAll(session: SessionPlace, uses: readonly ConnectorUse[]): Promise<void>
  /** Registers those that are new by name, and binds all. */
  bindLegacyMap(session: SessionPlace, map: LegacyMcps): Promise<void>
}

export interface BindingsOptions {
  readonly connectors: ConnectorStore
  readonly bindings: BindingStore
  readonly findConnector: (name: string) => Promise<ConnectorRecord>
  readonly onRegistered: (connector: Connector) => Promise<void>
}

export function createBindings({ connectors, bindings, findConnector, onRegistered }: BindingsOptions): Bindings {
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

  async function insert(session: SessionPlace, added: readonly NewBinding[]): Promise<void> {
    try {
      await bindings.insert(added)
    } catch (error) {
      // Somebody else may have bound one of these labels since it was looked at.
      const taken = await takenIn(session.id)
      for (const { label, connectorId } of added) checkLabel(label, connectorId, taken)
      throw error
    }
  }

  async function bindAll(session: SessionPlace, uses: readonly ConnectorUse[]): Promise<void> {
    const taken = await takenIn(session.id)
    const added: NewBinding[] = []
    for (const use of uses) {
      const { connector: name, ...options } = typeof use === 'string' ? { connector: use } : use
      const record = await findConnector(name)
      const label = chooseLabel(name, options.label)
      checkLabel(label, name, taken)
      taken.set(label, name)
      added.push({ ...checkBinding(session, record, options), label })
    }
    await insert(session, added)
  }

  return {
    list: (sessionId) => bindings.ofSession(sessionId),
    find,
    async bind(session, name, options) {
      const record = await findConnector(name)
      const label = chooseLabel(name, options.label)
      const taken = await takenIn(session.id)
      const binding = { ...checkBinding(session, record, options), label }
      if (taken.get(label) === name) await bindings.update(binding)
      else {
        checkLabel(label, name, taken)
        await insert(session, [binding])
      }
      return find(session, label)
    },
    async unbind(session, label) {
      const found = await find(session, label)
      await bindings.remove(session.id, label)
      return found
    },
    bindAll,
    async bindLegacyMap(session, map) {
      const wanted = definitionsIn(map)
      for (const connector of wanted.values()) {
        const known = await connectors.find(connector.name)
        if (known) refuseOther(connector, known.connector)
      }
      for (const connector of wanted.values()) {
        const { connector: kept } = await connectors.insertIfNew(connector)
        refuseOther(connector, kept)
        await onRegistered(connector)
      }
      await bindAll(session, [...wanted.keys()])
    },
  }
}

/** What it comes to must be a connector, too. */
function checkBinding(session: SessionPlace, record: ConnectorRecord, options: BindOptions): Omit<NewBinding, 'label'> {
  const { connector } = record
  const overrides = overridesSchema.parse(options.overrides ?? {})
  const { endpoint, ...rest } = overrides
  refuseSecrets({ name: connector.name, ...definedOnly(rest), ...(endpoint !== undefined && { base_url: endpoint }) })
  checkConnector(merge(connector, overrides))
  return { sessionId: session.id, connectorId: record.id, overrides, priority: options.priority ?? 0 }
}

function definedOnly<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const defined = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(defined) as { [K in keyof T]: Exclude<T[K], undefined> }
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
