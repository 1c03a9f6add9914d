/** Restarts the upstreams of a connector and reports the state of each. */
import type { Binding } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import type { BindingRecord, BoundSession } from './binding-store.ts'
import type { ConnectorViews } from './connector-views.ts'
import type { Note, Registry } from './registry.ts'
import type { SessionPlace } from './resolve.ts'

/** Without a session, restarts the upstreams in all sessions. Throws if none is running. */
export type RestartConnector = (name: string, session?: string) => Promise<readonly Binding[]>

/**
 * Returns the bindings whose upstreams were restarted. They may include other sessions, because some upstreams are
 * shared.
 */
export type RestartUpstreams = (
  connector: string,
  sessionId?: string,
) => Promise<readonly { readonly session: string; readonly label: string }[]>

export function createRestart(deps: {
  readonly findConnector: Registry['find']
  readonly findSession: (nameOrId: string) => Promise<SessionPlace>
  readonly findBinding: (session: SessionPlace, label: string) => Promise<BindingRecord>
  readonly sessionsOf: (connector: string) => Promise<readonly BoundSession[]>
  readonly restartUpstreams: RestartUpstreams
  readonly views: ConnectorViews
  readonly note: Note
}): RestartConnector {
  const { findConnector, findSession, findBinding, sessionsOf, restartUpstreams, views, note } = deps

  async function whyNone(name: string, isEnabled: boolean, session: SessionPlace | undefined): Promise<string> {
    if (!isEnabled) return 'It is switched off; save it with "enabled": true.'
    const bound = (await sessionsOf(name)).filter(({ id }) => session === undefined || id === session.id)
    if (bound.length === 0) {
      return session
        ? 'It is not bound there; bind_connector does that.'
        : 'It is bound to no session that runs; bind_connector gives it to one.'
    }
    const sessions = [...new Set(bound.map((each) => each.name))].join(', ')
    return `It starts by itself when the agent of ${sessions} first connects; list_bindings says whether something is missing.`
  }

  return async (name, nameOrId) => {
    const { connector } = await findConnector(name)
    const session = nameOrId === undefined ? undefined : await findSession(nameOrId)
    const places = await restartUpstreams(name, session?.id)
    if (places.length === 0) {
      const where = session ? ` in the session "${session.name}"` : ''
      const why = await whyNone(name, connector.enabled, session)
      throw new HubError('conflict', `No upstream of "${name}" runs${where}. ${why}`)
    }
    return Promise.all(
      places.map(async ({ session: id, label }) => {
        await note({ type: 'connector-restarted', session: id, payload: { connector: name, label } })
        const place = await findSession(id)
        return views.binding(await findBinding(place, label), place)
      }),
    )
  }
}
