/** Threads of the built-in agent that go on with another provider, and imported ones. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session } from '../src/api/session.ts'
import type { Thread } from '../src/api/thread.ts'
import { callTool } from './harness/modern-call.ts'
import { createTempHome } from './harness/temp-home.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'
import type { RecordedModel } from './worlds/recorded-model.ts'
import { startRecordedModel } from './worlds/recorded-model.ts'
import { callsIn, toldIn } from './worlds/told.ts'

const providers = ['openai', 'anthropic', 'google'] as const
type Provider = (typeof providers)[number]

let model: RecordedModel
let hub: HubProcess
let home: string
const opened = new AsyncDisposableStack()
const start = () => startHubProcess({ home, env: environment() })

beforeAll(async () => {
  const place = opened.use(await createTempHome())
  home = join(place.path, 'hub')
  model = opened.use(await startRecordedModel())
  hub = await start()
  opened.defer(() => hub[Symbol.asyncDispose]())
})
afterAll(() => opened.disposeAsync())

function environment() {
  return {
    OPENAI_API_KEY: 'dummy',
    OPENAI_BASE_URL: `${model.origin}/v1`,
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: model.origin,
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: model.origin,
  }
}

const call = (tool: string, input: object) => callTool(hub, tool, { ...input })
const prompt = async (session: string, text: string) =>
  expect(await call('prompt_session', { session, text })).toMatchObject({ status: 'completed' })
const turnTo = async (of: object, to: string) => (await call('switch_provider', { ...of, to })) as unknown as Thread
const sessionOf = async (name: string) => (await call('get_session', { name })) as unknown as Session

/** A thread with two parallel calls, one that failed, and an answer. */
async function begin(name: string, provider: Provider): Promise<void> {
  await call('create_session', { name, template: 'assistant' })
  await prompt(name, 'FINAL hello')
  await turnTo({ session: name }, `${provider}/scripted`)
  await prompt(
    name,
    'THINK first\nSAY I look.\nPARALLEL\nCALL hub_status {}\nCALL terminal_wait_for {"for":"bus"}\nFINAL seen',
  )
}

describe('the built-in agent', () => {
  const table: string[] = []
  afterAll(() =>
    console.log(['', 'from \\ to     calls and results that the new provider was told', ...table, ''].join('\n')),
  )

  for (const from of providers) {
    for (const to of providers.filter((provider) => provider !== from)) {
      test(`goes from ${from} to ${to} in the same session, which is told all calls and results`, async () => {
        const name = `${from}-to-${to}`
        await begin(name, from)
        expect(model.requests.at(-1)?.provider).toBe(from)
        const thread = await turnTo({ session: name }, `${to}/scripted`)
        expect(thread.session).toBe(name)
        await prompt(name, 'FINAL and now')
        const request = model.requests.at(-1)!
        expect(request.provider).toBe(to)
        const calls = callsIn(request)
        table.push(`${from.padEnd(9)} → ${to.padEnd(9)} ${calls.map((each) => each.slice(0, 40)).join(' | ')}`)
        expect(calls).toEqual([
          expect.stringMatching(/^hub_status .*version/),
          expect.stringMatching(/^terminal_wait_for .*"for/),
        ])
        const said = toldIn(request).flatMap((entry) =>
          entry.type === 'prompt' || entry.type === 'text' ? [entry.text] : [],
        )
        expect(said.join('\n')).toMatch(/PARALLEL[\s\S]*I look\.[\s\S]*seen[\s\S]*FINAL and now/)
      })
    }
  }
})

test('a chosen model stays chosen when the hub is killed', async () => {
  await begin('stays', 'google')
  await hub.end('SIGKILL')
  hub = await start()
  await prompt('stays', 'FINAL again')
  expect(model.requests.at(-1)?.provider).toBe('google')
})

test('a switch to another template forks the thread into a session of its own, with the policy of the old one', async () => {
  writeFileSync(join(home, 'templates/other.json'), JSON.stringify({ ...shippedAssistant(), name: 'other' }))
  await begin('old', 'openai')
  await call('set_policy', {
    scope: 'session',
    target: 'old',
    source: 'rules:\n  - deny: terminal_*\n    reason: not here\n',
  })
  const before = (await call('read_thread', { session: 'old' })) as unknown as Thread
  const thread = await turnTo({ session: 'old' }, 'other')
  expect(thread).toMatchObject({ session: 'old-other', agent: 'other', parent: before.thread_id })
  expect(thread.messages.map(({ id }) => id)).toEqual(before.messages.map(({ id }) => id))
  expect(thread.messages[1]).toMatchObject({ provider: 'openai' })
  const [old, other] = [await sessionOf('old'), await sessionOf('old-other')]
  expect(other).toMatchObject({ workspace_path: old.workspace_path, resumed_from: old.id, thread: thread.thread_id })
  // The policy of the old session denies these tools, so the new one does not get them either.
  const refused = await call('prompt_session', { session: 'old-other', text: 'CALL terminal_read_screen {}' })
  expect(refused['answer']).toMatch(/There is no tool terminal_read_screen, only (?!.*terminal_)/)
  await prompt('old', 'FINAL untouched')
  const [after, forked] = [
    await call('read_thread', { session: 'old' }),
    await call('read_thread', { session: 'old-other' }),
  ]
  expect(JSON.stringify(after)).toMatch(/untouched/)
  expect(JSON.stringify(forked)).not.toMatch(/untouched/)
  expect((await turnTo({ session: 'old' }, 'other')).session).toBe('old-other-2')
})

test('an imported thread has no session until a provider continues it', async () => {
  const text = JSON.stringify([
    { role: 'user', content: 'What is the ninth number?' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look_up', arguments: '{"n":9}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'It is 17.' },
    { role: 'assistant', content: 'Seventeen.' },
  ])
  const imported = (await call('import_thread', {
    text,
    format: 'openai-chat',
    label: 'Ninth number',
  })) as unknown as Thread
  expect(imported).toMatchObject({ agent: 'openai', label: 'Ninth number' })
  expect(imported.session).toBeUndefined()
  for (const provider of providers) {
    const { session, parent } = await turnTo({ thread: imported.thread_id }, `${provider}/scripted`)
    expect([session, parent]).toEqual([`ninth-number-${provider}`, imported.thread_id])
    await prompt(session!, 'FINAL on')
    expect(callsIn(model.requests.at(-1)!)).toEqual([expect.stringMatching(/^look_up .*It is 17\./)])
  }
  const { text: again } = await call('export_thread', { thread: imported.thread_id, format: 'openai-chat' })
  expect(JSON.parse(String(again))).toEqual(JSON.parse(text))
})

test.each([
  [{ session: 'nobody', to: 'assistant' }, /There is no session "nobody"/],
  [{ session: 'stays', to: 'nothing' }, /"to": "nothing" is neither a template nor a model/],
  [{ session: 'stays', to: 'shell' }, /"shell" does not run an agent/],
  [{ session: 'stays', to: 'assistant' }, /Name another "model"/],
  [{ session: 'stays', to: 'openai/a', model: 'b' }, /"to" names the model already/],
  [{ session: 'stays', to: 'mistral/a' }, /does not name a model/],
  [{ to: 'assistant' }, /Give "session"/],
])('%j is refused in a sentence', async (input, problem) => {
  await expect(call('switch_provider', input)).rejects.toThrow(problem)
})

function shippedAssistant(): object {
  mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 })
  return JSON.parse(readFileSync(new URL('../templates/assistant.json', import.meta.url), 'utf8')) as object
}
