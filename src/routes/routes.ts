/**
 * Routes: an action is answered by the first of its ways that is up. A way is a model, a tool of a connector, or the
 * agent of a session.
 *
 *   action, input → its ways in order → the first that is up → answer, with its route
 *
 * The next way is asked only if nothing was sent to the one before, or if the action may be repeated.
 */
import type { Route, Way } from '../api/route.ts'
import { HubError } from '../base/hub-error.ts'
import type { Redactor } from '../base/redact.ts'
import type { Store } from '../store/store.ts'
import type { FileRoutes, SettingOfAction } from './action-settings.ts'
import { createActionSettings } from './action-settings.ts'
import type { ConnectorWayOptions } from './connector-way.ts'
import { createConnectorCandidate } from './connector-way.ts'
import { createHealth } from './health.ts'
import { createModelCandidate } from './model-way.ts'
import { createRouteProvider } from './route-tools.ts'
import { createRouteStore } from './route-store.ts'
import type { RunActionOptions } from './run-action.ts'
import { byPriority, createRunAction } from './run-action.ts'
import type { Routes } from './route.ts'

export type { Routes } from './route.ts'

export interface RoutesOptions
  extends ConnectorWayOptions, Pick<RunActionOptions, 'models' | 'sessions' | 'askSession'> {
  readonly store: Store
  /** `routes:` of config.yaml. */
  readonly file?: FileRoutes | undefined
  readonly redactor: Pick<Redactor, 'forPerson'>
}

export function createRoutes(options: RoutesOptions): Routes {
  const { store, file, models, connectors, redactor } = options
  const rows = createRouteStore(store)
  const settings = createActionSettings(rows, file)
  const health = createHealth()
  const run = createRunAction({
    ...options,
    settings,
    health,
    toConnectorCandidate: (way, session) => createConnectorCandidate(way, options, session),
  })

  async function describe({ action, from, ways, safeToRepeat }: SettingOfAction): Promise<Route> {
    return { action, from, safe_to_repeat: safeToRepeat, ways: await Promise.all(byPriority(ways).map(describeWay)) }
  }

  async function describeWay(way: Way): Promise<Route['ways'][number]> {
    const key = await healthKeyOf(way)
    const rest = key === undefined ? undefined : health.restOf(key)
    return { ...way, ...(rest && { rests_until: new Date(rest.until).toISOString(), reason: rest.reason }) }
  }

  async function healthKeyOf(way: Way): Promise<string | undefined> {
    if ('model' in way) return createModelCandidate(way, models).key
    return 'connector' in way ? (await createConnectorCandidate(way, options, undefined)).key : undefined
  }

  /** Secrets belong in the environment, where connectors read them. */
  function refuseSecrets(ways: readonly Way[]): void {
    if (redactor.forPerson(ways).hidden.length === 0) return
    throw new HubError(
      'invalid',
      '"ways": there is a secret in it. Give it to the connector by a variable, with "env_keys" or "headers", and leave it out here.',
    )
  }

  const routes: Pick<Routes, 'run' | 'list' | 'set'> = {
    run,
    async list() {
      return Promise.all((await settings.all()).map(describe))
    },
    async set(action, setting) {
      if (setting) {
        refuseSecrets(setting.ways)
        for (const way of setting.ways) if ('connector' in way) await connectors.assertThere(way.connector)
        await rows.save(action, setting)
      } else await rows.remove(action)
      return describe(await settings.of(action))
    },
  }
  return { ...routes, providers: [createRouteProvider(routes)] }
}
