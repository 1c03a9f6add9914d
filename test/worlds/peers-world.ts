/** A hub with scripted agents (`fixtures/peer-agent.ts`) that call each other over real MCP. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LoggedEvent } from '../../src/api/event.ts'
import type { Thread } from '../../src/api/thread.ts'
import { compileCache } from '../harness/compile-cache.ts'
import { callTool, type Endpoint, modernRequest } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import type { HubProcess } from './hub-process.ts'
import { startHubProcess } from './hub-process.ts'

type Args = Readonly<Record<string, unknown>>

export interface PeersWorld extends AsyncDisposable {
  readonly home: string
  readonly person: Endpoint
  call(tool: string, args?: Args): Promise<Args>
  /** Starts an agent. */
  agent(name: string, more?: Args): Promise<void>
  /** Gives an agent a script and returns what it says in the end. */
  prompt(session: string, script: readonly string[], more?: Args): Promise<Args>
  /** The endpoint of a session's agent. */
  endpointOf(session: string): Promise<Endpoint>
  raw(endpoint: Endpoint, method: string, params: Args): Promise<Args>
  thread(session: string): Promise<Thread>
  events(query: Args): Promise<readonly LoggedEvent[]>
  /** The turns that agents began and ended, oldest first. */
  notes(): readonly string[]
  path(name: string): string
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

const fixture = fileURLToPath(new URL('../fixtures/peer-agent.ts', import.meta.url))

/** Allows everything, so that a test only names what it forbids. */
export const openPolicy = 'default: allow\nrules:\n  - allow: own_*'

export async function startPeersWorld(env: Readonly<Record<string, string>> = {}): Promise<PeersWorld> {
  await using stack = new AsyncDisposableStack()
  const place = stack.use(await createTempHome())
  const home = join(place.path, 'hub')
  const notes = join(place.path, 'notes')
  writeFileSync(notes, '')
  mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 })
  const template = {
    name: 'peer',
    driver: 'acp',
    mode: 'structured',
    command: process.execPath,
    args: [fixture],
    env: { PEER_NOTES: notes, ...compileCache },
  }
  writeFileSync(join(home, 'templates/peer.json'), JSON.stringify(template))
  let hub: HubProcess = await startHubProcess({ home, env })
  stack.defer(() => hub[Symbol.asyncDispose]())
  const call = (tool: string, args: Args = {}) => callTool(hub, tool, args)
  await call('set_policy', { scope: 'hub', source: openPolicy })
  const opened = stack.move()
  return {
    home,
    get person() {
      return { url: hub.url, token: hub.token }
    },
    call,
    async agent(name, more = {}) {
      await call('create_session', { name, template: 'peer', ...more })
    },
    prompt: (session, script, more = {}) => call('prompt_session', { session, text: script.join('\n'), ...more }),
    async endpointOf(session) {
      const { token } = await call('issue_token', { role: 'agent', session })
      return { url: hub.url, token: String(token) }
    },
    raw: (endpoint, method, params) => modernRequest(endpoint, method, params),
    thread: async (session) => (await call('read_thread', { session })) as unknown as Thread,
    events: async (query) => (await call('query_events', { limit: 1_000, ...query }))['events'] as LoggedEvent[],
    notes: () => readFileSync(notes, 'utf8').split('\n').filter(Boolean),
    path: (name) => join(place.path, name),
    async restart(signal) {
      await hub.end(signal)
      hub = await startHubProcess({ home, env: { ...env, SIGNALBOX_PORT: String(hub.port) } })
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** The line of a script that calls a tool. */
export function calling(tool: string, args: Args = {}): string {
  return `CALL ${tool} ${JSON.stringify(args)}`
}

/** The line of a script that asks a peer to follow another script. */
export function asking(session: string, script: readonly string[], tool = 'sessions_ask'): string {
  return calling(tool, { session, text: script.join('\n') })
}
