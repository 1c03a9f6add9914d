/** Sessions on a real store with real terminals, without the rest of the hub. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { NewEvent } from '../../src/api/event.ts'
import type { Template } from '../../src/api/template.ts'
import { templateSchema } from '../../src/api/template.ts'
import { HubError } from '../../src/base/hub-error.ts'
import { createLog } from '../../src/base/log.ts'
import { createRedactor } from '../../src/base/redact.ts'
import type { PersonsEnvironment } from '../../src/config/config.ts'
import type { Appended } from '../../src/events/events.ts'
import { createTurns } from '../../src/gate/gate.ts'
import { createNotices } from '../../src/mcp/mcp.ts'
import type { SessionRecord, Sessions, SessionsOptions } from '../../src/sessions/sessions.ts'
import { createFindSession, createSessions } from '../../src/sessions/sessions.ts'
import type { Store } from '../../src/store/store.ts'
import { openStore } from '../../src/store/store.ts'
import { createDrivers, createPtyDriver } from '../../src/drivers/drivers.ts'
import type { Terminals } from '../../src/terminal/terminal.ts'
import { createTerminals } from '../../src/terminal/terminal.ts'
import type { Threads } from '../../src/threads/threads.ts'
import { createThreads } from '../../src/threads/threads.ts'
import { reapHolders } from '../harness/reap-holders.ts'

/** `terminals`: the terminals of its driver. */
export type WorldOptions = Partial<SessionsOptions> & { readonly terminals?: Terminals }

export interface World {
  readonly home: string
  readonly events: { readonly type: string; readonly session?: string | undefined; readonly payload?: unknown }[]
  readonly issued: string[]
  readonly revoked: string[]
  /** The errors that its hubs logged. */
  readonly complaints: string[]
  /** Opens the terminals as a new hub does. */
  openTerminals(): Terminals
  /** The threads of the newest hub. */
  threads(): Threads
  /** Starts a hub. Each call starts another one. */
  start(store: Store, options?: WorldOptions): Sessions
}

export interface UsedWorld extends World {
  readonly store: Store
  readonly sessions: Sessions
  /** Stops the hub and starts another. */
  restart(options?: WorldOptions): Promise<Sessions>
  /** Starts another hub without stopping the one before, which is then like a hub that hangs. */
  replace(options?: WorldOptions): Promise<Sessions>
}

/** A world with a running hub. After the test its programs are ended and its store is closed. */
export function useWorld(
  opened: AsyncDisposable & { readonly store: Store },
  templates: readonly Record<string, unknown>[] = [],
  options: WorldOptions = {},
): UsedWorld {
  const { store } = opened
  const world = createWorld(templates)
  const sessions = world.start(store, options)
  let last = sessions
  onTestFinished(async () => {
    await last[Symbol.asyncDispose]()
    await reapHolders(world.home)
    await opened[Symbol.asyncDispose]()
    rmSync(world.home, { recursive: true, force: true })
  })
  async function replace(more?: WorldOptions): Promise<Sessions> {
    last = world.start(store, { ...options, ...more })
    await last.restore()
    return last
  }
  async function restart(more?: WorldOptions): Promise<Sessions> {
    await last[Symbol.asyncDispose]()
    return replace(more)
  }
  return { ...world, store, sessions, restart, replace }
}

/** The same on SQLite, for tests that do not depend on the engine. */
export async function useSqliteWorld(
  templates: readonly Record<string, unknown>[] = [],
  options: WorldOptions = {},
): Promise<UsedWorld> {
  const sqliteDir = mkdtempSync(join(tmpdir(), 'sbx-store-'))
  const store = await openStore({ sqliteDir })
  const close = async () => {
    await store[Symbol.asyncDispose]()
    rmSync(sqliteDir, { recursive: true, force: true })
  }
  return useWorld({ store, [Symbol.asyncDispose]: close }, templates, options)
}

/** A session that needs no program: a job that stays queued. Its world has a `jobConcurrency` of 0. */
export function addQueued(
  sessions: Sessions,
  name: string,
  spec: { readonly workingDir?: string; readonly worktree?: boolean } = {},
): Promise<SessionRecord> {
  return sessions.enqueue({ name, template: 'script', command: 'true', ...spec }, 0)
}

export function createWorld(templates: readonly Record<string, unknown>[] = []): World {
  const home = mkdtempSync(join(tmpdir(), 'sbx-'))
  mkdirSync(join(home, 'run'), { mode: 0o700 })
  const known = new Map(
    [{ name: 'shell', command: '/bin/sh', args: [] }, { name: 'script', session_type: 'one_off' }, ...templates].map(
      (file): [string, Template] => [String(file.name), templateSchema.parse(file)],
    ),
  )
  const events: World['events'] = []
  const issued: string[] = []
  const revoked: string[] = []
  const complaints: string[] = []
  let threads: Threads | undefined
  const log = createLog({
    level: 'error',
    redactor: createRedactor(),
    destination: { write: (line) => complaints.push(line) },
  })

  function append(event: NewEvent): Appended {
    // The time of this event varies.
    if (event.type !== 'activity-changed') events.push(event)
    return { seq: 0, id: '', at: '' }
  }

  const openTerminals = () =>
    createTerminals({
      directory: join(home, 'sessions'),
      socketDirectory: join(home, 'run'),
      version: '0.0.0',
      journal: { segmentBytes: 1024 * 1024, maxBytes: 16 * 1024 * 1024 },
      scrollbackLines: 1_000,
    })

  const ownEnvironment: PersonsEnvironment = {
    forPrograms: async () => ({ PATH: '/usr/bin:/bin', SHELL: '/bin/sh', HOME: home }),
    passedOn: () => ({}),
  }

  function start(store: Store, { terminals = openTerminals(), ...options }: WorldOptions = {}): Sessions {
    const { environment = ownEnvironment } = options
    const notices = createNotices()
    const findSession = createFindSession(store)
    threads = createThreads({
      store,
      notices,
      signals: { emit() {} },
      redactor: createRedactor(),
      findSession,
    })
    return createSessions({
      store,
      hubId: 'hub-1',
      events: {
        append: async (event) => append(event),
        note: async (event) => void append(event),
        read: async () => ({ events: [], nextCursor: 0, dropped: 0 }),
      },
      turns: createTurns({
        store,
        hubId: 'hub-1',
        events: { append: async (event) => append(event), appendLater: (event) => void append(event) },
        threads,
        findSession,
        log,
      }),
      notices,
      log,
      drivers: createDrivers([
        createPtyDriver({ terminals, environment, rulePlaces: [], redact: (text) => text, log }),
      ]),
      policies: { storeTemplatePolicy: async () => {}, setSessionPolicy: async () => {}, ownOf: async () => undefined },
      threads,
      ownTools: {
        of: () => ({
          check: async () => ({ is: 'allowed', isRuled: false, approval: undefined, end: () => {} }),
          authorize: async () => ({ is: 'allowed', isRuled: false, approval: undefined, end: () => {} }),
          toolsOfHub: async () => [],
          answeredInTerminal: async () => {},
        }),
      },
      sandboxes: {
        setting: 'off',
        choose: async () => ({ is: 'open' }),
        confine: async () => Promise.reject(new Error('no sandbox')),
        reach: async () => undefined,
        folderOf: () => {
          throw new Error('no sandbox')
        },
        guard: () => {},
      },
      connectors: { bindAll: async () => [], bindLegacyMap: async () => {}, usesOf: async () => [] },
      chat: { bridge: async () => {}, matrixOf: () => undefined },
      templates: {
        find(name) {
          const template = known.get(name)
          if (template) return { template, source: 'shipped', isSandboxShipped: true, available: true }
          throw new HubError('not-found', `no template "${name}"`)
        },
        fillIn: (value) => value,
        seed: async () => [],
        ownFiles: async () => new Map(),
      },
      tokens: {
        async issue({ id }: SessionRecord) {
          issued.push(`token-${id}`)
          return { id: `token-${id}`, text: `secret-of-${id}` }
        },
        revoke: async (id) => revoked.push(id),
      },
      openSocket: async ({ name }) => ({ path: join(home, 'run', `mcp-${name}.sock`), close: async () => {} }),
      directories: { sessions: join(home, 'sessions'), workspaces: join(home, 'workspaces') },
      confineProgram: async () => Promise.reject(new Error('no sandbox')),
      environment,
      mcpUrl: 'http://127.0.0.1:1/mcp',
      hubSocket: '/nowhere/hub.sock',
      isSharedMachine: async () => false,
      signalbox: 'signalbox',
      urlOf: (name) => `http://127.0.0.1:1/terminal/${name}`,
      defaultTemplate: 'shell',
      jobConcurrency: 2,
      signals: { emit() {} },
      ...options,
    })
  }
  return { home, events, issued, revoked, complaints, openTerminals, threads: () => threads!, start }
}
