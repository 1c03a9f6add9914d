/** Routes without the rest of the hub: what is stored, and what the agent of a session may reach by an action. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { compileCache } from '../../test/harness/compile-cache.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { connectorWorld } from '../../test/worlds/connector-world.ts'
import { createPolicyWorld } from '../../test/worlds/policy-world.ts'
import type { Way } from '../api/route.ts'
import { HubError } from '../base/hub-error.ts'
import { createLog } from '../base/log.ts'
import { createGate } from '../gate/gate.ts'
import { refusalError } from '../gateway/gateway.ts'
import { openStore, type Store } from '../store/store.ts'
import { createUpstreams } from '../upstream/upstream.ts'
import type { FileRoutes } from './action-settings.ts'
import { toSetting } from './action-settings.ts'
import { createRoutes } from './routes.ts'

const never = new AbortController().signal
const program = fileURLToPath(new URL('../../test/worlds/stdio-upstream.ts', import.meta.url))
const says = (text: string) => ({ steps: [{ result: { content: [{ type: 'text', text }] } }] })

async function openRoutes(store: Store, file?: FileRoutes) {
  const { policies, events, redactor, people } = await createPolicyWorld(store, { hubId: 'hub' })
  const { connectors, addSession } = connectorWorld(store, {
    environment: process.env,
    baseEnvironment: { PATH: process.env['PATH'] ?? '' },
    startDirectory: '/',
  })
  const upstreams = createUpstreams({
    homeId: `routes-${process.pid}`,
    info: { name: 'signalbox', version: '1' },
    log: createLog({ level: 'error', redactor }),
    redact: (text) => redactor.text(text),
  })
  onTestFinished(() => upstreams[Symbol.asyncDispose]())
  const nobody = () => Promise.reject(new HubError('not-found', 'There is no such session.'))
  const noModel = () => {
    throw new HubError('unavailable', 'No model is configured.')
  }
  const routes = createRoutes({
    store,
    file,
    models: { find: noModel, canSearch: noModel, generate: noModel },
    connectors,
    upstreams,
    sessions: { find: nobody, running: () => [], activityOf: () => ({ is: 'idle' }) },
    askSession: nobody,
    events,
    gate: createGate({ events, policies, approvals: { obtain: () => Promise.reject(new Error('no person')) } }),
    refusalError,
    redactor,
  })
  const directory = temporaryDirectory()
  return {
    routes,
    events,
    people,
    connectors,
    addSession,
    /** Adds a connector, and returns how many calls have reached it. */
    async upstream(name: string): Promise<() => number> {
      const journal = join(directory, `${name}.journal`)
      const args = [program, journal, join(directory, 'none')]
      const options = { env: compileCache }
      await connectors.save({ name, transport: 'stdio', cmd: process.execPath, args, options })
      return () => (existsSync(journal) ? readFileSync(journal, 'utf8').split('"tools/call"').length - 1 : 0)
    },
    async set(ways: readonly Way[]) {
      await routes.set('chat', toSetting('chat', ways, undefined))
    },
  }
}

async function openOwnStore(): Promise<Store> {
  const store = await openStore({ sqliteDir: temporaryDirectory() })
  onTestFinished(() => store[Symbol.asyncDispose]())
  return store
}

describeOnEachEngine('routes', (open) => {
  test('the setting of a person wins over the file, survives a restart of the hub, and can be reset', async () => {
    const { store, reopen } = await open()
    const file = { value: { chat: [{ model: 'openai/from-file' }] }, from: 'config.yaml:3' }
    const { routes } = await openRoutes(store, file)
    const chatOf = async (from: typeof routes) => (await from.list()).find(({ action }) => action === 'chat')
    expect(await chatOf(routes)).toMatchObject({ from: 'config.yaml:3', ways: [{ model: 'openai/from-file' }] })
    await routes.set('chat', toSetting('chat', [{ model: 'openai/a' }], undefined))
    await routes.set('chat', toSetting('chat', [{ model: 'openai/b' }], false))
    const { routes: next } = await openRoutes(await reopen(), file)
    expect(await chatOf(next)).toEqual({
      action: 'chat',
      from: 'set_routes',
      safe_to_repeat: false,
      ways: [{ model: 'openai/b' }],
    })
    await next.set('chat', undefined)
    expect(await chatOf(routes)).toMatchObject({ from: 'config.yaml:3', safe_to_repeat: true })
  })
})

test.each([
  [{ code_review: [] }, 'config.yaml:3, routes, code_review: there is no such action, only code_advice'],
  [{ chat: 'gpt' }, 'config.yaml:3, routes, chat: it must be an object, not a string'],
  [{ chat: [{ modle: 'x' }] }, 'config.yaml:3, routes, chat: "modle" is not known in "ways.0"'],
  [{ 'search.web': [{ connector: 'a', tool: 'b', arguments: { q: '{q}' } }] }, 'the input of search_web has no {q}'],
])('a wrong file stops the start with its place: %j', async (value, message) => {
  const store = await openOwnStore()
  await expect(openRoutes(store, { value, from: 'config.yaml:3' })).rejects.toThrow(message)
})

test('a tool that the policy denies to an agent cannot be reached by an action, under any of its names', async () => {
  const { routes, upstream, set, people, addSession, connectors, events } = await openRoutes(await openOwnStore())
  const calls = await upstream('my-files')
  const instead = await upstream('instead')
  await set([
    { connector: 'my-files', tool: 'Write.File', arguments: says('written') },
    { connector: 'instead', tool: 'script', arguments: says('instead') },
  ])
  const { id } = await addSession('agent', temporaryDirectory())
  await connectors.bind('agent', 'my-files', { label: 'docs' })
  const ask = (session?: string) =>
    routes.run('chat', { text: 'x' }, { correlation: 'c1', ...(session && { session }) }, never)
  expect(await ask(id)).toMatchObject({ result: { text: 'written' } })
  for (const name of ['docs_Write.File', 'docs_write_file', 'myfiles_*', 'Write.File']) {
    await people.call('set_policy', { scope: 'session', target: id, source: `rules: [{ deny: "${name}" }]` })
    expect(await ask(id), name).toMatchObject({
      result: {
        text: 'instead',
        tried: [{ outcome: 'unavailable', reason: expect.stringContaining('The policy denies') }, {}],
      },
    })
  }
  // A rule that asks a person cannot be waited for here, so it denies.
  await people.call('set_policy', { scope: 'session', target: id, source: 'rules: [{ ask: "docs_*" }]' })
  expect(await ask(id)).toMatchObject({ result: { text: 'instead' } })
  expect(calls()).toBe(1)
  await people.call('set_policy', { scope: 'session', target: id, source: 'rules: [{ abort: "docs_*" }]' })
  const before = instead()
  await expect(ask(id)).rejects.toMatchObject({ code: -32950 })
  expect([calls(), instead()]).toEqual([1, before])
  // A person's own call has no policy.
  expect(await ask()).toMatchObject({ result: { text: 'written' } })
  const { events: recorded } = await events.read({ type: 'tool-called' })
  expect(recorded[0]).toMatchObject({ session: id, route: 'mcp:stdio', payload: { tool: 'docs_Write.File' } })
})

test('a tool that every binding of the session leaves out cannot be reached by an action', async () => {
  const { routes, upstream, set, addSession, connectors } = await openRoutes(await openOwnStore())
  const calls = await upstream('files')
  await set([{ connector: 'files', tool: 'script', arguments: says('written') }])
  const { id } = await addSession('agent', temporaryDirectory())
  await connectors.bind('agent', 'files', { overrides: { options: { disabled_tools: ['script'] } } })
  const place = { correlation: 'c1', session: id }
  await expect(routes.run('chat', { text: 'x' }, place, never)).rejects.toMatchObject({
    code: -32001,
    message: expect.stringContaining('switched off'),
  })
  expect(calls()).toBe(0)
})
