/** A hub with sessions that are bound to scripted upstreams. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { compileCache } from '../harness/compile-cache.ts'
import { shippedHub } from './hub-process.ts'
import type { Target } from '../http/exchange.ts'
import { faultsIn, type OwnHub, patience, startOwnHub } from './own-hub.ts'

/** Disposing it fails if the hub has logged an unexpected fault. */
export interface ScriptedWorld extends OwnHub {
  /** Creates a session, and returns what its agent needs to connect. */
  session(name: string): Promise<Target>
  another(session: string): Promise<Target>
  /** Creates a connector of this name. */
  upstream(name: string, options?: UpstreamOptions): Promise<ScriptedUpstream>
  bind(session: string, connector: string, label?: string): Promise<void>
  events(filter?: object): Promise<readonly RecordedEvent[]>
}

export interface UpstreamOptions {
  readonly options?: Readonly<Record<string, unknown>>
  readonly isModern?: boolean
  readonly strict?: boolean
  readonly lists?: object
  readonly instructions?: string
}

export interface ScriptedUpstream {
  /** Every message that reached the upstream, of one method or all. */
  received(method?: string): readonly Received[]
  /** Sets the lists from now on. */
  setLists(lists: object): void
}

export interface Received {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: unknown
}

export interface RecordedEvent {
  readonly type: string
  readonly correlation?: string
  readonly payload: Readonly<Record<string, unknown>>
}

export async function startScriptedWorld(
  env: Readonly<Record<string, string>> = {},
  expectedFaults: readonly unknown[] = [],
): Promise<ScriptedWorld> {
  const hub = await startOwnHub({ program: shippedHub, env })
  await hub.call('set_policy', { scope: 'hub', source: 'default: allow' })
  const program = fileURLToPath(new URL('stdio-upstream.ts', import.meta.url))
  async function another(session: string): Promise<Target> {
    const { token } = await hub.call('issue_token', { role: 'agent', session })
    return { port: hub.port, token: String(token) }
  }
  return {
    ...hub,
    get process() {
      return hub.process
    },
    async session(name) {
      await hub.call('create_session', { name, command: 'cat' })
      return another(name)
    },
    another,
    async upstream(name, { options = {}, isModern = false, strict = true, lists, instructions } = {}) {
      const journal = join(hub.home, `${name}.journal`)
      const listsFile = join(hub.home, `${name}.lists`)
      if (lists) writeFileSync(listsFile, JSON.stringify(lists))
      await hub.call('save_connector', {
        name,
        transport: 'stdio',
        cmd: process.execPath,
        args: [program, journal, listsFile, ...(isModern ? ['--modern'] : []), ...(instructions ? [instructions] : [])],
        options: { env: compileCache, ...options, ...(isModern && { era: 'modern' }) },
        strict,
      })
      return {
        received(method) {
          const lines = existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []
          const all = lines.map((line) => JSON.parse(line) as Received)
          return method === undefined ? all : all.filter((message) => message.method === method)
        },
        setLists: (next) => writeFileSync(listsFile, JSON.stringify(next)),
      }
    },
    async bind(session, connector, label = connector) {
      await hub.call('bind_connector', { session, connector, label })
    },
    async events(filter = {}) {
      const { events } = await hub.call('query_events', { limit: 1000, ...filter })
      return events as readonly RecordedEvent[]
    },
    async [Symbol.asyncDispose]() {
      const faults = faultsIn(hub.log())
      await hub[Symbol.asyncDispose]()
      expect(faults).toEqual(expectedFaults)
    },
  }
}

export function eventually<Value>(look: () => Value | Promise<Value>) {
  return expect.poll(look, patience)
}
