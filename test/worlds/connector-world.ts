/** Connectors on a real store, with sessions to bind them to. */
import { createRedactor } from '../../src/base/redact.ts'
import type { ConnectorsOptions, LiveUpstreams, SessionPlace } from '../../src/connectors/connectors.ts'
import { createConnectors } from '../../src/connectors/connectors.ts'
import type { Call, Tool } from '../../src/mcp/mcp.ts'
import { createNotices } from '../../src/mcp/mcp.ts'
import type { Store } from '../../src/store/store.ts'
import { HubError } from '../../src/base/hub-error.ts'

export function connectorWorld(store: Store, given: Partial<ConnectorsOptions & LiveUpstreams> = {}) {
  const { upstreamOf = () => undefined, restart = async () => [], ...options } = given
  const sessions = new Map<string, SessionPlace>()
  const changes: string[] = []
  const events: unknown[] = []
  const told: string[] = []
  const notices = createNotices()
  const redactor = createRedactor()
  const core = createConnectors({
    store,
    notices: { ...notices, resourceChanged: (uri) => void told.push(uri) },
    events: {
      append: async (event) => ({ ...event, seq: events.push(event), id: 'e', at: '' }),
      appendLater: (event) => void events.push(event),
    },
    environment: { HOME: '/home/me', PATH: '/usr/bin' },
    baseEnvironment: { HOME: '/home/me', PATH: '/usr/bin' },
    startDirectory: '/hub/connectors',
    isSandboxRequired: false,
    redactor,
    async findSession(nameOrId) {
      const found = sessions.get(nameOrId) ?? [...sessions.values()].find(({ name }) => name === nameOrId)
      if (!found) throw new HubError('not-found', `There is no session "${nameOrId}".`)
      return found
    },
    test: async () => ({
      report: { era: 'legacy', version: '2025-11-25', tools: ['echo'], resources: [], prompts: [] },
    }),
    request: async (_target, _method, params) => ({ result: { content: [], structuredContent: params } }),
    logins: { pending: () => undefined, isKept: () => false, forget() {} },
    signals: {
      emit(name, signal) {
        if (name === 'bindings-changed' && 'session' in signal) changes.push(signal.session)
      },
    },
    log: { warn() {} },
    ...options,
  })
  const connectors = { ...core, ...core.createDesk({ upstreamOf, restart }) }

  async function addSession(name: string, workspacePath = `/srv/${name}`): Promise<SessionPlace> {
    const now = new Date().toISOString()
    const place = { id: `id-of-${name}`, name, workspacePath }
    await store.db
      .insertInto('sessions')
      .values({
        id: place.id,
        hub_id: 'hub',
        name,
        template: 'shell',
        command: 'sh',
        args: null,
        session_type: 'long_running',
        driver: 'pty',
        mode: 'terminal',
        backend: 'holder',
        status: 'running',
        is_stop_asked: 0,
        description: null,
        labels: '[]',
        workspace_path: workspacePath,
        cols: 80,
        rows: 24,
        terminal_tools: '[]',
        terminal_settings: '{}',
        socket_name: null,
        token_id: null,
        job_id: null,
        priority: 0,
        exit_code: null,
        exit_signal: null,
        last_message: null,
        activity: null,
        agent_args: '[]',
        conversation_id: null,
        resumed_from: null,
        created_at: now,
        started_at: now,
        ended_at: null,
        updated_at: now,
      })
      .execute()
    sessions.set(place.id, place)
    return place
  }

  const tools = new Map<string, Tool>(
    connectors.providers?.flatMap(({ tools }) => tools?.() ?? []).map((tool) => [tool.name, tool]),
  )
  /** Returns the structured result, or the error of the tool. */
  async function callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
    const result = await tools.get(name)!.run(args, call)
    if (!('content' in result)) throw new Error('the tool asked something')
    const [block] = result.content
    return result.isError ? (block?.type === 'text' ? block.text : '') : result.structuredContent
  }

  return { connectors, redactor, changes, events, told, addSession, callTool, tools, store }
}

/** Only the fields that these tools use. */
const call = {
  signal: new AbortController().signal,
  correlation: 'c1',
  event: 'e1',
  caller: { role: 'human', tokenId: 't1' },
} as Call
