/** The built-in agent, with a scripted model over HTTP in every dialect, under a hub that is killed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Approval } from '../src/api/approval.ts'
import type { LoggedEvent } from '../src/api/event.ts'
import type { Session } from '../src/api/session.ts'
import type { Thread } from '../src/api/thread.ts'
import type { Span } from '../src/api/trace.ts'
import { traceSchema } from '../src/api/trace.ts'
import { startScriptedModel } from './agents/model/model.ts'
import { until } from './fixtures/until.ts'
import { callTool } from './harness/modern-call.ts'
import { createTempHome } from './harness/temp-home.ts'
import type { HubProcess } from './worlds/hub-process.ts'
import { startHubProcess } from './worlds/hub-process.ts'

const key = 'key-that-nobody-may-see'
/** The model sees a tool that is only sometimes refused. */
const policy = `
rules:
  - deny: terminal_wait_for
    when: { properties: { value: { const: forbidden } }, required: [value] }
    reason: not today
  - abort: terminal_wait_for
    when: { properties: { value: { const: fatal } }, required: [value] }
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
  world = await open({ SIGNALBOX_JOB_CONCURRENCY: '1' }, { ...models, hasty: { limits: { minutes: 0.02 } } })
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
    expect(called.map(({ payload }) => String(payload['tool'])).sort()).toEqual([
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
    const answer = await world.prompt(dialect, 'CALL terminal_wait_for {"for":"text","value":"forbidden"}')
    expect(answer).toMatchObject({ status: 'completed', answer: expect.stringContaining('not today') })
  })

  test('stops in the middle of an answer when it is interrupted, and keeps what has arrived', async () => {
    const text = `SLOW 30\nLONG 2000\nFINAL ${dialect} never`
    await world.prompt(dialect, text, { wait: false })
    await until(async () => JSON.stringify((await world.thread(dialect)).events).includes('word2'))
    await world.call('interrupt_session', { session: dialect })
    const { messages, events } = await world.thread(dialect)
    expect(events.at(-1)).toMatchObject({
      type: 'complete',
      status: 'interrupted',
      reason: 'The turn was interrupted.',
    })
    expect(messages.at(-1)!.content[0]!.text).toMatch(/^word1 word2/)
    expect((await world.session(dialect)).activity.is).toBe('idle')
  })

  test('says why a turn failed, and can be prompted again', async () => {
    const cut = await world.prompt(dialect, `SLOW 5\nCUT 9\nLONG 40\nFINAL ${dialect}`)
    expect(cut).toMatchObject({ status: 'failed', answer: expect.stringContaining('word1') })
    expect(await world.prompt(dialect, 'FINAL well again')).toMatchObject({ answer: 'well again' })
    const failed = await world.prompt(dialect, 'FAIL 400\nFINAL never')
    expect(failed).toMatchObject({ status: 'failed', reason: expect.stringMatching(/failed \(HTTP 400\)/) })
  })
})

describe('in every dialect, it', () => {
  const agent = 'governed'
  beforeAll(() => world.create(agent, 'openai'))

  test('waits for an approval, and goes on with the result of the approved call', async () => {
    const asked = world.prompt(agent, 'CALL terminal_send_text {"text":"echo typed\\n"}\nFINAL ran it', {
      wait: false,
    })
    const [approval] = await until(async () => {
      const found = await world.pending(agent)
      return found.length > 0 && found
    })
    expect((await world.session(agent)).activity).toMatchObject({ is: 'waiting', source: 'approval' })
    await world.call('decide_approval', { id: approval!.id, decision: 'approve' })
    await asked
    await idle(agent)
    const { messages } = await world.thread(agent)
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text: 'ran it' }] })
    expect(messages.at(-2)).toMatchObject({ role: 'tool' })
    expect(messages.at(-2)).not.toHaveProperty('is_error')
  })

  test('ends its turn when the policy aborts a call', async () => {
    const answer = await world.prompt(agent, 'CALL terminal_wait_for {"for":"text","value":"fatal"}\nFINAL never')
    expect(answer).toMatchObject({ status: 'interrupted', reason: expect.stringContaining('hands off') })
    expect(answer).not.toMatchObject({ answer: 'never' })
    expect(await world.prompt(agent, 'FINAL goes on')).toMatchObject({ answer: 'goes on' })
  })

  test('stops a tool call that runs, and says that its outcome is unknown', async () => {
    const call = 'CALL terminal_wait_for {"for":"text","value":"never seen","timeout_ms":60000}'
    await world.prompt(agent, `${call}\nFINAL never`, { wait: false })
    await until(async () => (await world.thread(agent)).events.at(-1)?.type === 'tool-request')
    await world.call('interrupt_session', { session: agent })
    const { events } = await world.thread(agent)
    expect(events.slice(-2)).toMatchObject([
      { type: 'tool-result', stage: 'error', errorFull: expect.stringContaining('outcome is unknown') },
      { type: 'complete', status: 'interrupted' },
    ])
  })

  test('is steered before its next call of the model', async () => {
    await world.prompt(agent, 'STALL\nCALL hub_status {}\nFINAL not steered', { wait: false })
    await until(() => world.model.stalled > 0)
    await world.call('steer_session', { session: agent, text: 'FINAL steered' })
    world.model.release()
    await idle(agent)
    expect((await world.thread(agent)).messages.at(-1)).toMatchObject({ content: [{ text: 'steered' }] })
  })
})

test('turns run one after another', async () => {
  await world.create('queue', 'assistant')
  const first = world.prompt('queue', 'STALL\nFINAL first')
  await until(() => world.model.stalled > 0)
  const second = world.prompt('queue', 'FINAL second')
  await until(async () => (await world.session('queue')).activity.is === 'working')
  world.model.release()
  expect([await first, await second]).toMatchObject([{ answer: 'first' }, { answer: 'second' }])
})

test('a turn ends at its limits, and says which', async () => {
  const limited = { limited: /called the model 2 times.*"steps"/, frugal: /used 220 tokens.*"tokens"/ }
  for (const [template, reason] of Object.entries(limited)) {
    await world.create(template, template)
    const calls = Array.from({ length: 5 }, () => 'CALL hub_status {}').join('\n')
    expect(await world.prompt(template, calls)).toMatchObject({
      status: 'interrupted',
      reason: expect.stringMatching(reason),
    })
  }
  await world.create('hasty', 'hasty')
  const slow = await world.prompt('hasty', 'STALL\nFINAL late')
  expect(slow).toMatchObject({
    status: 'interrupted',
    reason: expect.stringMatching(/run for 0.02 minutes.*"minutes"/),
  })
})

test('it yields its turn, and sleeps until it is prompted', async () => {
  await world.create('sleepy', 'assistant')
  const yielded = await world.prompt('sleepy', 'CALL loop_yield_turn {}\nFINAL never')
  expect(yielded).toMatchObject({ status: 'completed', reason: expect.stringContaining('sleeps') })
  expect((await world.session('sleepy')).activity.is).toBe('idle')
  expect(await world.prompt('sleepy', 'FINAL awake')).toMatchObject({ answer: 'awake' })
})

test('a message of a person in its chat wakes it', async () => {
  await world.create('chatty', 'openai')
  await world.prompt('chatty', 'CALL loop_yield_turn {}')
  await world.call('post_chat', { session: 'chatty', content: 'FINAL good morning' })
  await until(async () => (await world.thread('chatty')).messages.at(-1)?.content[0]?.text === 'good morning')
  // It has read the message, so no later turn gets it again.
  await world.prompt('chatty', 'FINAL and now')
  const said = (await world.thread('chatty')).messages.filter(({ role }) => role === 'user').length
  expect(said).toBe(3)
})

test('its model calls and tool calls belong to its turn', async () => {
  await world.create('placed', 'openai')
  await world.prompt('placed', 'CALL hub_status {}\nFINAL seen')
  const { id, thread } = await world.session('placed')
  const [turn] = await world.events({ session: id, type: 'turn-started' })
  const calls = [
    ...(await world.events({ session: id, type: 'model-called' })),
    ...(await world.events({ session: id, type: 'tool-called' })),
  ]
  expect(calls.map(({ type, correlation, parent }) => [type, correlation, parent])).toEqual(
    ['model-called', 'model-called', 'tool-called'].map((type) => [type, turn!.correlation, turn!.id]),
  )
  expect(calls.at(-1)!.thread).toBe(thread)
})

test('no key is in events, threads or logs, or in the environment of the shell', async () => {
  await world.create('leaky', 'assistant')
  const answer = await world.prompt('leaky', `FINAL the key is ${key}`)
  expect(JSON.stringify(answer)).not.toContain(key)
  await world.call('send_input', { name: 'leaky', text: 'env | grep -c key-that; echo done-$((40+2))' })
  await until(async () => JSON.stringify(await world.call('read_screen', { session: 'leaky' })).includes('done-42'))
  expect(JSON.stringify(await world.call('read_screen', { session: 'leaky' }))).toMatch(/"0"/)
  const { id } = await world.session('leaky')
  const events = await world.events({ session: id, limit: 1000 })
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['model-called', 'model-answered']))
  expect(JSON.stringify([events, await world.thread('leaky')])).not.toContain(key)
  expect(world.log()).not.toContain(key)
})

test('it waits for its own shell to be idle, although it works itself', async () => {
  await world.create('patient', 'assistant')
  const wait = 'CALL terminal_wait_for {"for":"idle","timeout_ms":60000}'
  expect(await world.prompt('patient', wait)).toMatchObject({ answer: expect.stringContaining('"met":true') })
})

test('an ended session is resumed with its conversation', async () => {
  await world.create('again', 'assistant')
  await world.prompt('again', 'FINAL first life')
  await world.call('kill_session', { name: 'again' })
  await until(async () => (await world.session('again')).can_resume)
  await world.call('resume_session', { name: 'again' })
  expect(await world.prompt('again', 'FINAL second life')).toMatchObject({ answer: 'second life' })
  expect((await world.thread('again')).messages.map(({ content }) => content[0]?.text)).toContain('first life')
  expect(world.model.asked.at(-1)?.earlier).toContain('FINAL first life')
})

test.each(['create_session', 'enqueue_one_off', 'resume_session'])(
  'the first prompt of %s is a turn, and its trace is one tree',
  async (tool) => {
    const name = tool.replaceAll('_', '-')
    if (tool === 'resume_session') {
      await world.create(name, 'openai')
      await world.prompt(name, 'FINAL first life')
      await world.call('kill_session', { name })
      await until(async () => (await world.session(name)).can_resume)
    }
    const prompt = 'CALL hub_status {}\nFINAL started'
    await world.call(tool, { name, prompt, ...(tool !== 'resume_session' && { template: 'openai' }) })
    const { id } = await world.session(name)
    const ended = () => world.events({ session: id, type: 'turn-ended' })
    await until(async () => (await ended()).length > 0)
    const [{ correlation } = {}] = await ended()
    const { spans } = traceSchema.parse(await world.call('get_trace', { correlation }))
    expect(spans.map(({ type, payload }) => [type, payload['tool']])).toEqual([['tool-called', tool]])
    const turn = [...within(spans)].find(({ type }) => type === 'turn-started')
    expect(turn).toMatchObject({ payload: { chain: [name] }, session: id, route: `session:${name}` })
    expect(turn?.spans.map(({ type }) => type)).toEqual(['model-called', 'tool-called', 'model-called', 'turn-ended'])
    await world.call('kill_session', { name })
  },
)

function* within(spans: readonly Span[]): Generator<Span> {
  for (const span of spans) {
    yield span
    yield* within(span.spans)
  }
}

describe('after a kill of the hub', () => {
  beforeAll(async () => {
    await world.call('enqueue_one_off', { name: 'first', command: 'cat' })
    await world.call('enqueue_one_off', { name: 'second', template: 'openai', prompt: 'FINAL done' })
    await world.create('called', 'assistant')
    const call = 'CALL terminal_wait_for {"for":"text","value":"never seen","timeout_ms":60000}'
    await world.prompt('called', `PARALLEL\nCALL hub_status {}\n${call}\nFINAL never`, { wait: false })
    await until(async () => (await calls()).length === 2)
    await until(async () => (await world.thread('called')).events.some(({ type }) => type === 'tool-result'))
    await world.create('cut', 'assistant')
    await world.prompt('cut', 'SLOW 20\nLONG 3000\nFINAL never', { wait: false })
    await until(async () => JSON.stringify((await world.thread('cut')).events).includes('word20'))
    await world.kill()
  })

  test('a queued job that the next hub starts still belongs to the call that queued it', async () => {
    await world.call('kill_session', { name: 'first' })
    const { id } = await world.session('second')
    await until(async () => (await world.events({ session: id, type: 'turn-ended' })).length > 0)
    const [queued] = await world.events({ session: id, type: 'job-queued' })
    const [started] = await world.events({ session: id, type: 'turn-started' })
    expect(started).toMatchObject({ correlation: queued?.correlation, parent: queued?.id })
    const [called] = await world.events({ correlation: queued?.correlation, type: 'tool-called' })
    expect(called).toMatchObject({ id: queued?.parent, payload: { tool: 'enqueue_one_off' } })
  })

  test('a call that ran then has a result that says that its outcome is unknown, and is not repeated', async () => {
    const { events } = await world.thread('called')
    expect(events.slice(-3)).toMatchObject([
      { type: 'tool-result', name: 'hub_status', stage: 'success' },
      { type: 'tool-result', name: 'terminal_wait_for', errorFull: expect.stringContaining('outcome is unknown') },
      { type: 'complete', status: 'interrupted' },
    ])
    expect(await world.prompt('called', 'FINAL went on')).toMatchObject({ answer: 'went on' })
    expect(await calls()).toHaveLength(2)
  })

  test('a turn that was cut in the middle of an answer has everything that arrived, and can be continued', async () => {
    const { messages, events } = await world.thread('cut')
    expect(events.at(-1)).toMatchObject({
      type: 'complete',
      status: 'interrupted',
      reason: expect.stringContaining('stopped or killed in the middle'),
    })
    expect(messages.at(-1)!.content[0]!.text).toMatch(/^word1 word2 .*word20/)
    expect((await world.session('cut')).activity.is).toBe('idle')
    expect(await world.prompt('cut', 'FINAL went on')).toMatchObject({ status: 'completed', answer: 'went on' })
    await world.kill()
    expect((await world.thread('cut')).events.filter(({ type }) => type === 'complete')).toHaveLength(2)
  })

  async function calls(): Promise<readonly LoggedEvent[]> {
    const { id } = await world.session('called')
    return world.events({ session: id, type: 'tool-called' })
  }
})

test('a conversation that would not fit is compacted, and a later hub uses the same summary', async () => {
  await using own = await open({ SIGNALBOX_MODEL_CONTEXT_TOKENS: '9000' })
  await own.create('a', 'assistant')
  const long = 'blah '.repeat(2_500)
  await own.prompt('a', `CALL hub_status {}\nFINAL one\n${long}`)
  await own.prompt('a', `CALL hub_status {}\nFINAL two\n${long}`)
  const last = own.model.asked.at(-1)!
  expect(JSON.stringify(last.earlier)).toContain('This conversation was compacted')
  expect(JSON.stringify(last)).not.toContain('FINAL one')
  const { messages } = await own.thread('a')
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  const { id } = await own.session('a')
  const summaries = async () =>
    (await own.events({ session: id, type: 'model-called' })).filter(({ payload }) =>
      JSON.stringify(payload).includes('You compact'),
    )
  const before = (await summaries()).length
  expect(before).toBeGreaterThan(0)
  await own.kill()
  expect(await own.prompt('a', 'FINAL three')).toMatchObject({ answer: 'three' })
  expect((await summaries()).length).toBe(before)
})

test('without a model, the template says what to set, and no session starts', async () => {
  const none = { SIGNALBOX_MODEL: '', SIGNALBOX_MODEL_BASE_URL: '', OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' }
  await using own = await open({ ...none, GEMINI_API_KEY: '', SIGNALBOX_MODEL_API_KEY: 'unused' })
  const { templates } = await own.call('list_templates', {})
  const assistant = (templates as { name: string }[]).find(({ name }) => name === 'assistant')
  const why = /No model is configured. Set one of OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY/
  expect(assistant).toMatchObject({ available: false, why_not: expect.stringMatching(why) })
  await expect(own.create('a', 'assistant')).rejects.toThrow(why)
})

async function idle(session: string): Promise<void> {
  await until(async () => (await world.session(session)).activity.is === 'idle')
}
