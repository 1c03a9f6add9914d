/** The built-in agent, with a scripted model over HTTP in every dialect, under a hub that is killed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Approval } from '../src/api/approval.ts'
import type { LoggedEvent } from '../src/api/event.ts'
import type { Session } from '../src/api/session.ts'
import type { Thread } from '../src/api/thread.ts'
import type { ScriptedModel } from './agents/model/model.ts'
import { startScriptedModel } from './agents/model/model.ts'
import { until } from './fixtures/until.ts'
import { callTool } from './harness/modern-call.ts'
import { createTempHome } from './harness/temp-home.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'

const key = 'key-that-nobody-may-see'
const policy = `
rules:
  - deny: terminal_read_scrollback
    reason: not today
  - abort: terminal_send_keys
    reason: hands off
`
const dialects = {
  openai: 'openai/scripted',
  anthropic: 'anthropic/scripted',
  google: 'google/scripted',
  compatible: 'openai-compatible/scripted',
}

async function open(env: Readonly<Record<string, string>> = {}, models: Readonly<Record<string, object>> = {}) {
  await using opened = new AsyncDisposableStack()
  const place = opened.use(await createTempHome())
  const model = opened.use(await startScriptedModel())
  const home = join(place.path, 'hub')
  mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 })
  const shipped = JSON.parse(readFileSync(new URL('../templates/assistant.json', import.meta.url), 'utf8')) as object
  const byName = {
    ...Object.fromEntries(Object.entries(dialects).map(([name, one]) => [name, { name: one }])),
    ...models,
  }
  for (const [name, given] of Object.entries(byName)) {
    writeFileSync(join(home, `templates/${name}.json`), JSON.stringify({ ...shipped, name, model: given, policy }))
  }
  const providers = {
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${model.origin}/v1`,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: model.origin,
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: model.origin,
    SIGNALBOX_MODEL: 'scripted',
    SIGNALBOX_MODEL_BASE_URL: `${model.origin}/v1`,
    SIGNALBOX_MODEL_API_KEY: key,
  }
  const start = () => startHubProcess({ home, env: { ...providers, ...env } })
  let hub: HubProcess = await start()
  opened.defer(() => hub[Symbol.asyncDispose]())
  const call = (tool: string, input: object) => callTool(hub, tool, { ...input })
  const running = opened.move()
  return {
    model,
    home,
    call,
    create: (name: string, template: string) => call('create_session', { name, template }),
    prompt: (session: string, text: string, more: object = {}) => call('prompt_session', { session, text, ...more }),
    session: async (name: string) => (await call('get_session', { name })) as unknown as Session,
    thread: async (session: string) => (await call('read_thread', { session })) as unknown as Thread,
    pending: async (session: string) => (await call('list_approvals', { session }))['approvals'] as Approval[],
    events: async (query: object) => (await call('query_events', query))['events'] as LoggedEvent[],
    log: () => hub.log(),
    async kill() {
      await hub.end('SIGKILL')
      hub = await start()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
type World = Awaited<ReturnType<typeof open>>

let world: World
beforeAll(async () => {
  const models = { limited: { name: dialects.openai, limits: { steps: 2 } }, frugal: { limits: { tokens: 150 } } }
  world = await open({}, { ...models, hasty: { limits: { minutes: 0.02 } } })
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each(Object.keys(dialects))('with the dialect of %s', (dialect) => {
  beforeAll(() => world.create(dialect, dialect))

  test('answers with text, and the thread and the usage show it', async () => {
    expect(await world.prompt(dialect, 'FINAL hello there')).toMatchObject({
      status: 'completed',
      answer: 'hello there',
      usage: { input_tokens: 100, output_tokens: 10 },
      route: `session:${dialect}`,
    })
    const { messages, agent } = await world.thread(dialect)
    expect(agent).toBe(dialect)
    expect(messages.slice(-2)).toMatchObject([
      { role: 'user', content: [{ text: 'FINAL hello there' }] },
      { role: 'assistant', model: 'scripted', content: [{ text: 'hello there' }] },
    ])
  })

  test('makes parallel calls through the compositor, and goes on with their results', async () => {
    const script = 'PARALLEL\nCALL hub_status {}\nCALL terminal_is_shell_idle {}\nCALL hub_status {}\nFINAL saw all'
    expect(await world.prompt(dialect, script)).toMatchObject({ status: 'completed', answer: 'saw all' })
    const { id } = await world.session(dialect)
    const called = await world.events({ session: id, type: 'tool-called' })
    expect(called.map(({ payload }) => payload['tool']).toSorted()).toEqual([
      'hub_status',
      'hub_status',
      'terminal_is_shell_idle',
    ])
    expect(called.every(({ payload }) => (payload['decision'] as { effect?: string }).effect === 'allow')).toBe(true)
    const { messages } = await world.thread(dialect)
    const results = messages.filter(({ role }) => role === 'tool')
    expect(results).toHaveLength(3)
    expect(results[0]!.content[0]!.text).toContain('"signalbox"')
  })

  test('sees that the policy denies a call, and goes on', async () => {
    const answer = await world.prompt(dialect, 'CALL terminal_read_scrollback {}')
    expect(answer).toMatchObject({ status: 'completed', answer: expect.stringContaining('not today') })
  })
})
