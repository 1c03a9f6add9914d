/** Actions on a real hub: a scripted model over HTTP, connectors over stdio and HTTP, and agents in sessions. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ActionResult, Route } from '../src/api/route.ts'
import type { ScriptedModel } from './agents/model/model.ts'
import { startScriptedModel } from './agents/model/model.ts'
import { freePort } from './fixtures/ports.ts'
import { modern, modernStream } from './http/modern-request.ts'
import { answerJson, serveHttp, type Visit } from './worlds/http-upstream.ts'
import type { RecordedEvent, ScriptedWorld } from './worlds/scripted-world.ts'
import { eventually, startScriptedWorld } from './worlds/scripted-world.ts'

type Args = Readonly<Record<string, unknown>>

interface Answered {
  readonly result?: {
    readonly isError?: boolean
    readonly content: readonly { readonly text: string }[]
    readonly structuredContent?: ActionResult
    readonly _meta: Readonly<Record<string, unknown>>
  }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Args }
}

const key = 'sk-scripted-0123456789abcdef'
/** Hides the keys of the person who runs the tests. */
const noKeys = {
  OPENAI_API_KEY: '',
  ANTHROPIC_API_KEY: '',
  GEMINI_API_KEY: '',
  GOOGLE_API_KEY: '',
  GOOGLE_GENERATIVE_AI_API_KEY: '',
}
/** The answer of the scripted model to a request without tools. */
const modelSays = 'A scripted side answer'
let model: ScriptedModel
let hub: ScriptedWorld

beforeAll(async () => {
  model = await startScriptedModel()
  hub = await startScriptedWorld({ ...noKeys, OPENAI_API_KEY: key, OPENAI_BASE_URL: `${model.origin}/v1` })
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

describe('with nothing set', () => {
  test('the model answers, and its route is in the result and in the record', async () => {
    const { result } = await call('code_advice', { question: 'list or map?', code: 'const a = []', language: 'js' })
    expect(result?.structuredContent).toMatchObject({
      action: 'code_advice',
      text: modelSays,
      route: 'openai',
      tried: [{ way: 'model default', outcome: 'answered', route: 'openai' }],
    })
    expect(result?._meta).toMatchObject({ 'io.signalbox/route': 'openai' })
    const events = await eventsOf(result)
    expect(events.find(({ type }) => type === 'action-routed')).toMatchObject({
      route: 'openai',
      payload: { action: 'code_advice', outcome: 'answered', tried: [{ way: 'model default' }] },
    })
    const called = events.find(({ type }) => type === 'model-called')
    expect(JSON.stringify(called?.payload)).toContain('list or map?')
    expect(JSON.stringify(called?.payload)).toContain('const a = []')
  })

  test('an action name with a dot and a plain text are accepted', async () => {
    expect((await call('code.advice', 'list or map?')).result?.structuredContent?.action).toBe('code_advice')
  })

  test('every action but search_web needs only a model', async () => {
    for (const action of ['tests_generate', 'refactor_apply', 'chat']) {
      expect(await run(action, { text: 'do it' })).toMatchObject({ route: 'openai', text: modelSays })
    }
  })

  test('list_routes says that the default model answers, and which actions may be repeated', async () => {
    const { routes } = (await hub.call('list_routes')) as unknown as { routes: readonly Route[] }
    expect(routes.map(({ action, from, safe_to_repeat: isSafe }) => [action, from, isSafe])).toEqual([
      ['code_advice', 'default', true],
      ['search_web', 'default', true],
      ['tests_generate', 'default', true],
      ['refactor_apply', 'default', false],
      ['chat', 'default', true],
    ])
    expect(await routeOf('chat')).toMatchObject({ ways: [{ model: 'default' }] })
  })
})

test('wrong input is refused in one sentence that says what would work', async () => {
  const wrongCalls: readonly (readonly [Args, string])[] = [
    [{ action: 'code_review', input: 'x' }, '"action": it must be one of "code_advice"'],
    [{ action: 'chat', input: {} }, '"input": it needs "text"'],
    [{ action: 'code_advice', input: { path: 'a.ts' } }, '"input": it needs "text" or "question" or "code"'],
    [{ action: 'chat', input: { text: 'x', code: 'y' } }, '"input": "code" is not known there'],
    [{ action: 'chat', input: { text: 5 } }, '"input.text": it must be a string, not a number'],
    [{ action: 'chat', input: { text: 'x' }, session: 'nobody' }, 'There is no session "nobody"'],
  ]
  for (const [args, says] of wrongCalls) expect(await failure('run_action', args)).toContain(says)
  const wrongWays: readonly (readonly [unknown, string])[] = [
    [[{}], '"ways.0": it must have one of "model", "connector" with "tool", or "session"'],
    [[{ model: 'a', session: 'b' }], '"ways.0": it must have one of'],
    [[{ connector: 'a' }], '"connector" needs "tool"'],
    [[{ model: 'a', tool: 'b' }], '"tool" and "arguments" go with "connector" only'],
    [[{ connector: 'none', tool: 'search' }], 'There is no connector "none"'],
    [[{ model: 'default', weight: 1 }], '"ways.0": "weight" is not known there'],
    [
      [{ connector: 'a', tool: 'b', arguments: { q: '{querry}' } }],
      'has no {querry}. It has {prompt}, {text}, {query}',
    ],
    [[{ connector: 'a', tool: 'b', arguments: { api_key: key } }], 'there is a secret in it'],
  ]
  for (const [ways, says] of wrongWays) {
    expect(await failure('set_routes', { action: 'search_web', ways })).toContain(says)
  }
  expect(await routeOf('search_web')).toMatchObject({ from: 'default' })
})

describe('the order of ways', () => {
  test('the first way answers, a higher priority goes before it, and a disabled way is left out', async () => {
    const first = await hub.upstream('first')
    const second = await hub.upstream('second')
    const ways = [saying('first', 'one'), saying('second', 'two')]
    await set('tests_generate', ways)
    expect(await run('tests_generate', 'x')).toMatchObject({ text: 'one', route: 'mcp:stdio' })
    expect(second.received()).toEqual([])
    await set('tests_generate', [ways[0]!, { ...ways[1], priority: 1 }])
    expect((await routeOf('tests_generate')).ways).toMatchObject([{ connector: 'second' }, { connector: 'first' }])
    expect(await run('tests_generate', 'x')).toMatchObject({ text: 'two' })
    await set('tests_generate', [{ ...ways[0], enabled: false }, ways[1]!])
    expect(await run('tests_generate', 'x')).toMatchObject({
      text: 'two',
      tried: [{ way: 'connector second, script' }],
    })
    expect(first.received('tools/call')).toHaveLength(1)
  })

  test('a caller can ask for the ways with a role', async () => {
    await hub.upstream('reviewer')
    await set('chat', [{ model: 'default' }, { ...saying('reviewer', 'reviewed'), role: 'reviewer' }])
    expect(await run('chat', 'x')).toMatchObject({ route: 'openai' })
    expect(await run('chat', 'x', { role: 'reviewer' })).toMatchObject({ text: 'reviewed' })
    expect((await call('chat', 'x', { role: 'cook' })).error).toMatchObject({
      code: -32001,
      message: expect.stringContaining('No way of chat has the role "cook"'),
    })
  })

  test('the input becomes the arguments of the tool by a template, or as it is', async () => {
    const upstream = await hub.upstream('template')
    const shown = {
      q: 'on {language}: {question}',
      all: '{prompt}',
      framework: '{path}',
      deep: [{ text: '{text}' }],
      n: 3,
    }
    await set('code_advice', [{ connector: 'template', tool: 'script', arguments: { shown, ...answering('ok') } }])
    await run('code_advice', { question: 'why?', language: 'js' })
    await set('code_advice', [{ connector: 'template', tool: 'script' }])
    await run('code_advice', { question: 'why?', code: 'x' })
    const [filled, plain] = upstream.received('tools/call').map(({ params }) => params?.['arguments'] as Args)
    expect(filled?.['shown']).toEqual({
      q: 'on js: why?',
      all: 'Question: why?\n\nLanguage: js',
      deep: [{ text: 'why?' }],
      n: 3,
    })
    expect(plain).toEqual({ question: 'why?', code: 'x' })
  })

  test('a tool that the connector leaves out is not called', async () => {
    const upstream = await hub.upstream('filtered', { options: { disabled_tools: ['script'] } })
    await set('chat', [saying('filtered', 'forbidden'), { model: 'default' }])
    expect(await run('chat', 'x')).toMatchObject({
      route: 'openai',
      tried: [{ outcome: 'unavailable', reason: expect.stringContaining('switched off') }, { outcome: 'answered' }],
    })
    expect(upstream.received()).toEqual([])
  })
})

describe('a way that is down', () => {
  test('is passed over, rests while another answers, and is asked again if nothing else is up', async () => {
    const port = await freePort()
    await hub.call('save_connector', { name: 'away', transport: 'http', base_url: `http://127.0.0.1:${port}/mcp` })
    const away = { connector: 'away', tool: 'advise' }
    await set('refactor_apply', [away, { model: 'default' }])
    expect(await run('refactor_apply', 'x')).toMatchObject({
      route: 'openai',
      tried: [{ way: 'connector away, advise', outcome: 'unavailable' }, { outcome: 'answered' }],
    })
    expect((await routeOf('refactor_apply')).ways[0]).toMatchObject({
      connector: 'away',
      rests_until: expect.any(String),
      reason: expect.stringContaining('127.0.0.1'),
    })
    expect((await run('refactor_apply', 'x')).tried).toMatchObject([{ way: 'model default' }])

    await set('refactor_apply', [away])
    const { error } = await call('refactor_apply', 'x')
    expect(error).toMatchObject({
      code: -32001,
      data: { action: 'refactor_apply', tried: [{ outcome: 'unavailable' }] },
    })
    expect(error?.message).toMatch(
      /^Nothing can answer refactor_apply now\. connector away, advise: .* set_routes to add one\.$/,
    )

    await serveTool((visit) => answerJson(visit, { content: [{ type: 'text', text: 'back' }] }), port)
    expect(await run('refactor_apply', 'x')).toMatchObject({ text: 'back', route: 'mcp:http' })
    await set('refactor_apply', [away, { model: 'default' }])
    expect((await routeOf('refactor_apply')).ways[0]).not.toHaveProperty('rests_until')
    expect(await run('refactor_apply', 'x')).toMatchObject({ text: 'back' })
  })

  test('a model whose server does not listen got nothing, so even a refactoring goes to the next way', async () => {
    await using own = await startScriptedWorld({
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `http://127.0.0.1:${await freePort()}/v1`,
    })
    await own.upstream('stand-in')
    const ways = [{ model: 'default' }, saying('stand-in', 'here')]
    await own.call('set_routes', { action: 'refactor_apply', ways })
    expect(await callOn(own, { action: 'refactor_apply', input: 'x' })).toMatchObject({
      result: { structuredContent: { text: 'here', tried: [{ outcome: 'unavailable' }, { outcome: 'answered' }] } },
    })
    const { routes } = await own.call('list_routes', { action: 'refactor_apply' })
    expect(routes).toMatchObject([{ ways: [{ model: 'default', rests_until: expect.any(String) }, {}] }])
  })

  test('a model that is not set up is passed over', async () => {
    await hub.upstream('instead')
    await set('chat', [{ model: 'anthropic/claude-x' }, { model: 'nonsense' }, saying('instead', 'here')])
    const { tried, text } = await run('chat', 'x')
    expect(text).toBe('here')
    expect(tried).toMatchObject([
      { way: 'model anthropic/claude-x', outcome: 'unavailable', reason: expect.stringContaining('ANTHROPIC_API_KEY') },
      { way: 'model nonsense', outcome: 'unavailable' },
      { outcome: 'answered' },
    ])
  })
})

describe('a way that fails after it got the input', () => {
  test('is followed by the next one if the action is safe to repeat', async () => {
    await hub.upstream('failing')
    await hub.upstream('next')
    await set('code_advice', [failing('failing'), saying('next', 'from the next')])
    expect(await run('code_advice', 'x')).toMatchObject({
      text: 'from the next',
      tried: [
        { outcome: 'failed', route: 'mcp:stdio', reason: expect.stringContaining('out of ink') },
        { outcome: 'answered' },
      ],
    })
  })

  test('ends a refactoring: nothing is asked to do it again', async () => {
    await hub.upstream('half')
    const other = await hub.upstream('other')
    await set('refactor_apply', [failing('half'), saying('other', 'done twice')])
    const { result } = await call('refactor_apply', 'x')
    expect(result).toMatchObject({ isError: true, _meta: { 'io.signalbox/route': 'mcp:stdio' } })
    expect(result?.content[0]?.text).toMatch(/^refactor_apply failed\. mcp:stdio: .*out of ink/)
    expect(other.received()).toEqual([])
    expect((await eventsOf(result)).find(({ type }) => type === 'action-routed')).toMatchObject({
      route: 'mcp:stdio',
      payload: { outcome: 'failed', tried: [{ outcome: 'failed' }] },
    })
  })

  test('ends a refactoring also if the connection breaks before the answer', async () => {
    const upstream = await serveTool(({ response }) => response.destroy())
    await hub.call('save_connector', { name: 'breaking', transport: 'http', base_url: upstream.url })
    const other = await hub.upstream('unasked')
    await set('refactor_apply', [{ connector: 'breaking', tool: 'advise' }, saying('unasked', 'done twice')])
    expect((await call('refactor_apply', 'x')).result).toMatchObject({ isError: true })
    expect(upstream.visits.filter(({ message }) => message?.method === 'tools/call')).toHaveLength(1)
    expect(other.received()).toEqual([])
  })

  test('is followed by the next one if a person says that the refactoring may be repeated', async () => {
    await hub.upstream('rough')
    await hub.upstream('smooth')
    await set('refactor_apply', [failing('rough'), saying('smooth', 'smooth')], true)
    expect(await run('refactor_apply', 'x')).toMatchObject({ text: 'smooth' })
    expect(await routeOf('refactor_apply')).toMatchObject({ safe_to_repeat: true, from: 'set_routes' })
  })

  test('a model that answers with an error got the input', async () => {
    const server = await serveHttp(({ response }) =>
      response.writeHead(400).end('{"error": {"message": "no such model"}}'),
    )
    await using own = await startScriptedWorld({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${server.origin}/v1` })
    const other = await own.upstream('other')
    const ways = [{ model: 'default' }, saying('other', 'done twice')]
    await own.call('set_routes', { action: 'refactor_apply', ways })
    const { result } = await callOn(own, { action: 'refactor_apply', input: 'x' })
    expect(result).toMatchObject({ isError: true, _meta: { 'io.signalbox/route': 'openai' } })
    expect(result?.content[0]?.text).toContain('no such model')
    expect(other.received()).toEqual([])
  })
})

describe('search_web', () => {
  test('is answered by a provider that can search, or by a connector', async () => {
    expect(await run('search_web', { query: 'signal boxes' })).toMatchObject({ route: 'openai' })
    const search = await hub.upstream('search')
    await set('search_web', [
      { connector: 'search', tool: 'script', arguments: { q: '{query}', ...answering('found {query}') } },
    ])
    expect(await run('search_web', 'signal boxes')).toMatchObject({ text: 'found signal boxes', route: 'mcp:stdio' })
    expect(search.received('tools/call')).toMatchObject([
      { params: { name: 'script', arguments: { q: 'signal boxes' } } },
    ])
  })

  test('without a way that can search, it is an error that says what to set, and never a model’s memory', async () => {
    const local = await startScriptedModel()
    const env = { ...noKeys, SIGNALBOX_MODEL_BASE_URL: `${local.origin}/v1`, SIGNALBOX_MODEL: 'local' }
    await using own = await startScriptedWorld(env)
    expect(await callOn(own, { action: 'chat', input: 'hello' })).toMatchObject({
      result: { structuredContent: { text: modelSays, route: 'openai-compatible' } },
    })
    const { error } = await callOn(own, { action: 'search.web', input: 'signal boxes' })
    expect(error?.code).toBe(-32001)
    expect(error?.message).toMatch(
      /openai-compatible cannot search the web.*set_routes to give it a connector with a search tool/,
    )
    const events = await own.events({ type: 'model-called' })
    expect(events).toHaveLength(1)
    await local[Symbol.asyncDispose]()
  })
})

test('without any model, an action says what to set, and a connector still answers', async () => {
  await using own = await startScriptedWorld(noKeys)
  const { error } = await callOn(own, { action: 'code_advice', input: 'x' })
  expect(error?.code).toBe(-32001)
  expect(error?.message).toContain('OPENAI_API_KEY')
  await own.upstream('only')
  await own.call('set_routes', { action: 'code_advice', ways: [saying('only', 'here')] })
  expect((await callOn(own, { action: 'code_advice', input: 'x' })).result?.structuredContent?.text).toBe('here')
  await own.restart('SIGKILL')
  expect((await callOn(own, { action: 'code_advice', input: 'x' })).result?.structuredContent?.text).toBe('here')
})

test('config.yaml sets the ways of an action, and a wrong one stops the start and says where', async () => {
  await using own = await startScriptedWorld(noKeys)
  await own.upstream('filed')
  const ways = JSON.stringify([saying('filed', 'from the file')])
  writeFileSync(join(own.home, 'config.yaml'), `log_level: info\nroutes:\n  chat: ${ways}\n`)
  await own.restart('SIGTERM')
  expect(await own.call('list_routes', { action: 'chat' })).toMatchObject({ routes: [{ from: 'config.yaml:2' }] })
  expect((await callOn(own, { action: 'chat', input: 'x' })).result?.structuredContent?.text).toBe('from the file')
  await own.call('set_routes', { action: 'chat', ways: [{ model: 'default' }] })
  expect((await callOn(own, { action: 'chat', input: 'x' })).error?.code).toBe(-32001)
  await own.call('set_routes', { action: 'chat', ways: null })
  expect((await callOn(own, { action: 'chat', input: 'x' })).result?.structuredContent?.text).toBe('from the file')

  writeFileSync(join(own.home, 'config.yaml'), 'routes:\n  chat: [{ modle: default }]\n')
  const refused = /config\.yaml:1, routes, chat: "modle" is not known in "ways\.0"/
  await expect(own.restart('SIGTERM')).rejects.toThrow(refused)
  writeFileSync(join(own.home, 'config.yaml'), 'routes: [chat]\n')
  await expect(own.restart('SIGTERM')).rejects.toThrow('it takes a map from actions to lists of ways')
})

describe('an agent in a session', () => {
  const program = fileURLToPath(new URL('fixtures/acp-agent.ts', import.meta.url))
  beforeAll(async () => {
    const payload = { name: 'echo', driver: 'acp', command: process.execPath, args: [program] }
    await hub.call('save_template', { payload })
    await hub.call('create_session', { name: 'helper', template: 'echo', labels: ['helps'] })
    // Prompts wait until the agent has listed its tools, which this one does not do.
    await modern(await hub.another('helper'), 'tools/list')
  })

  test('answers if it is named, with its session and thread in the result and in the record', async () => {
    const { result } = await call('code_advice', 'SAY use a map', { session: 'helper' })
    const { id } = await hub.call('get_session', { name: 'helper' })
    const answer = result?.structuredContent
    expect(answer).toMatchObject({ text: 'use a map', route: 'session:helper', session_id: id })
    expect(result?._meta).toMatchObject({
      'io.signalbox/route': 'session:helper',
      'io.signalbox/session': id,
      'io.signalbox/thread': answer?.thread_id,
    })
    expect(answer?.thread_id).toMatch(/^t/)
    const events = await eventsOf(result)
    expect(events.find(({ type }) => type === 'action-routed')).toMatchObject({
      route: 'session:helper',
      session: id,
      thread: answer?.thread_id,
    })
    expect(events.map(({ type }) => type)).toContain('turn-started')
  })

  test('answers by its name or its label, and one that is not there is passed over', async () => {
    await set('chat', [{ session: 'nobody' }, { session: { label: 'rests' } }, { session: { label: 'helps' } }])
    const { route, tried } = await run('chat', 'SAY hello')
    expect(route).toBe('session:helper')
    expect(tried).toMatchObject([
      { way: 'session nobody', outcome: 'unavailable' },
      { way: 'sessions with the label rests', outcome: 'unavailable' },
      { way: 'session helper', outcome: 'answered' },
    ])
    await set('chat', [{ session: 'helper' }])
    expect(await run('chat', 'SAY hello')).toMatchObject({ route: 'session:helper' })
  })

  test('is passed over if the hub cannot ask it, even for a refactoring', async () => {
    await hub.call('create_session', { name: 'plain', command: 'cat' })
    await hub.upstream('instead-of-it')
    await set('refactor_apply', [{ session: 'plain' }, saying('instead-of-it', 'here')])
    expect(await run('refactor_apply', 'x')).toMatchObject({
      text: 'here',
      tried: [{ way: 'session plain', outcome: 'unavailable' }, { outcome: 'answered' }],
    })
  })

  test('an agent that fails in its turn has got the input', async () => {
    const other = await hub.upstream('afterwards')
    await set('refactor_apply', [{ session: 'helper' }, saying('afterwards', 'done twice')])
    const { result } = await call('refactor_apply', 'FAIL too many requests')
    expect(result).toMatchObject({ isError: true, _meta: { 'io.signalbox/route': 'session:helper' } })
    expect(result?.content[0]?.text).toContain('too many requests')
    expect(other.received()).toEqual([])
  })
})

test('an agent that names no session is answered by the ways, under its own policy', async () => {
  const agent = await hub.session('asker')
  const { id } = await hub.call('get_session', { name: 'asker' })
  const advisor = await hub.upstream('advisor')
  await set('code_advice', [{ session: 'asker' }, saying('advisor', 'use a map'), { model: 'default' }])
  const ask = async (tool: string, args: Args) =>
    (await modern(agent, 'tools/call', { name: tool, arguments: args })).body as Answered
  const { result } = await ask('sessions_code_advice', { text: 'list or map?' })
  expect(result).toMatchObject({
    structuredContent: { status: 'completed', answer: 'use a map', route: 'mcp:stdio' },
    _meta: { 'io.signalbox/route': 'mcp:stdio' },
  })
  expect((await hub.events({ type: 'action-routed', session: 'asker' })).at(-1)).toMatchObject({
    session: id,
    route: 'mcp:stdio',
    payload: { tried: [{ reason: '"asker" is the session that asks.' }, { outcome: 'answered' }] },
  })
  await hub.call('set_policy', { scope: 'session', target: 'asker', source: 'rules: [{ deny: "advisor_*" }]' })
  expect((await ask('sessions_code_advice', { text: 'x' })).result?.structuredContent).toMatchObject({
    route: 'openai',
  })
  expect(advisor.received('tools/call')).toHaveLength(1)
  const [called] = (await hub.events({ type: 'model-called', session: 'asker' })).slice(-1)
  expect(called).toMatchObject({ session: id, route: 'openai' })
  await hub.call('set_policy', { scope: 'session', target: 'asker', source: 'rules: [{ abort: "advisor_*" }]' })
  expect((await ask('sessions_code_advice', { text: 'x' })).error).toMatchObject({ code: -32950 })
  expect((await ask('sessions_ask', { text: 'x' })).result?.isError).toBe(true)
})

test('progress of a connector reaches the caller, and a cancelled action is cancelled there and recorded', async () => {
  const upstream = await hub.upstream('slow')
  const steps = [{ progress: 7 }, { hang: true }]
  await set('chat', [{ connector: 'slow', tool: 'script', arguments: { steps } }, { model: 'default' }])
  using stream = await modernStream(
    hub,
    'tools/call',
    { name: 'run_action', arguments: { action: 'chat', input: 'x' } },
    { meta: { progressToken: 'p1' } },
  )
  expect(await stream.message()).toMatchObject({ method: 'notifications/progress', params: { progress: 7 } })
  stream.close()
  await eventually(() => upstream.received('notifications/cancelled').length).toBe(1)
  await eventually(async () => (await hub.events({ type: 'action-routed' })).at(-1)).toMatchObject({
    payload: { outcome: 'cancelled', tried: [{ way: 'connector slow, script', outcome: 'failed' }] },
  })
})

test('secrets in the input are redacted in the record, and the key of the model is nowhere in it', async () => {
  await hub.upstream('recorded')
  await set('chat', [{ connector: 'recorded', tool: 'script', arguments: { asked: '{text}', ...answering('ok') } }])
  const { result } = await call('chat', `why does {"password": "hunter2-hunter2"} fail? ${key}`)
  const events = await eventsOf(result)
  const recorded = JSON.stringify(events)
  expect(recorded).toContain('why does')
  expect(recorded).not.toContain('hunter2')
  expect(recorded).not.toContain(key)
  expect(events.filter(({ type }) => type === 'tool-called')).toMatchObject([
    { payload: { tool: 'run_action' } },
    { route: 'mcp:stdio', payload: { tool: 'recorded_script', upstream: 'recorded' } },
  ])
})

async function call(action: string, input: unknown, more: Args = {}): Promise<Answered> {
  return callOn(hub, { action, input, ...more })
}

async function callOn(target: ScriptedWorld, args: Args): Promise<Answered> {
  return (await modern(target, 'tools/call', { name: 'run_action', arguments: args })).body as Answered
}

async function run(action: string, input: unknown, more: Args = {}): Promise<ActionResult> {
  const { result, error } = await call(action, input, more)
  if (!result?.structuredContent) throw new Error(error?.message ?? result?.content[0]?.text)
  return result.structuredContent
}

async function failure(tool: string, args: Args): Promise<string> {
  const { result } = (await modern(hub, 'tools/call', { name: tool, arguments: args })).body as Answered
  if (result?.isError !== true) throw new Error(`${tool} did not fail`)
  return result.content[0]!.text
}

async function set(action: string, ways: readonly Args[], isSafe?: boolean): Promise<void> {
  await hub.call('set_routes', { action, ways, ...(isSafe !== undefined && { safe_to_repeat: isSafe }) })
}

async function routeOf(action: string): Promise<Route> {
  const { routes } = (await hub.call('list_routes', { action })) as unknown as { routes: readonly [Route] }
  return routes[0]
}

/** Oldest first. */
async function eventsOf(result: Answered['result']): Promise<readonly (RecordedEvent & Args)[]> {
  const correlation = result?._meta['io.signalbox/correlation']
  return (await hub.events({ correlation })) as readonly (RecordedEvent & Args)[]
}

function answering(text: string): Args {
  return { steps: [{ result: { content: [{ type: 'text', text }] } }] }
}

function saying(connector: string, text: string): Args {
  return { connector, tool: 'script', arguments: answering(text) }
}

function failing(connector: string): Args {
  return { connector, tool: 'script', arguments: { steps: [{ error: { code: -32000, message: 'out of ink' } }] } }
}

/** An upstream over HTTP with one tool. */
function serveTool(answer: (visit: Visit) => unknown, port?: number) {
  return serveHttp(
    (visit) => {
      const { message, response } = visit
      if (message?.method === 'initialize') {
        const serverInfo = { name: 'advisor', version: '1' }
        return answerJson(visit, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo })
      }
      if (message?.method === 'tools/call') return answer(visit)
      if (message?.id === undefined) return response.writeHead(visit.method === 'POST' ? 202 : 405).end()
      response.writeHead(404).end()
    },
    port === undefined ? {} : { port },
  )
}
