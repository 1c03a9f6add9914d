/** The connectors of the hub, and one of them in full, kept up to date. */
import type { Connector, ConnectorDetail, ConnectorView } from '../../src/api/connector.ts'
import { useLive } from '../hub/hub-context.tsx'
import type { Live } from '../hub/live-value.ts'

interface ConnectorPage {
  readonly connectors: readonly ConnectorView[]
  readonly next_cursor?: string
}

export function useConnectors(): Live<readonly ConnectorView[]> {
  return useLive('connectors-in-full', ({ call }) => ({
    uris: ['resource://connectors'],
    everyMs: 200,
    async read(signal) {
      const all: ConnectorView[] = []
      let cursor: string | undefined
      do {
        const page: ConnectorPage = await call('list_connectors', cursor === undefined ? {} : { cursor }, signal)
        all.push(...page.connectors)
        cursor = page.next_cursor
      } while (cursor !== undefined)
      return all
    },
  }))
}

export function useConnector(name: string): Live<ConnectorDetail> {
  return useLive(`connector:${name}`, ({ call }) => ({
    uris: [`resource://connectors/${name}`],
    everyMs: 200,
    read: (signal) => call<ConnectorDetail>('get_connector', { name }, signal),
  }))
}

/** Its fields as they are saved, without what the hub knows of it. */
export function settingsOf(view: ConnectorView): Connector {
  const { upstream: _, sessions: _s, variables: _v, tools: _t, login: _l, consent: _c, ...rest } = view
  const { offers: _o, upstreams: _u, ...settings } = rest as Connector & Partial<ConnectorDetail>
  return settings
}
