import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ScriptedModel } from '../../test/agents/model/model.ts'
import { startScriptedModel } from '../../test/agents/model/model.ts'
import { createTempHome } from '../../test/harness/temp-home.ts'
import type { LoggedEvent } from '../api/event.ts'
import { createRedactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import { openEventLog } from '../events/events.ts'
import { chooseModel } from './choose-model.ts'
import type { ModelSettings } from './choose-model.ts'
import type { ModelMessage, Models, StreamedPart } from './models.ts'
import { createModels } from './models.ts'

const key = 'key-that-nobody-may-see'
const none: ModelSettings = {
  model: undefined,
  baseUrl: undefined,
  key: undefined,
  contextTokens: undefined,
  environment: {},
}
const tool = {
  name: 'note_write',
  description: 'Writes a note.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}

let scripted: ScriptedModel
let events: EventLog
let models: Models
const stack = new AsyncDisposableStack()

beforeAll(async () => {
  scripted = stack.use(await startScriptedModel())
  const { path: directory } = stack.use(await createTempHome())
  const redactor = createRedactor()
  const retention = { maxAgeMs: 86_400_000, maxBytes: 2 ** 24 }
  events = stack.use(
    await openEventLog({ engine: 'sqlite', path: join(directory, 'events.db') }, { redactor, retention }),
  )
  const environment = {
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${scripted.origin}/v1`,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: scripted.origin,
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: scripted.origin,
  }
  const settings = { ...none, model: 'local', baseUrl: `${scripted.origin}/v1`, key, environment }
  models = createModels({ settings, events, redactor, placeOf: () => ({ correlation: 'c1', thread: 't1' }) })
})
afterAll(() => stack.disposeAsync())

/** The two events of the newest call. */
async function recordedCall(): Promise<{ called: LoggedEvent; answered: LoggedEvent | undefined }> {
  const called = (await events.read({ type: 'model-called', order: 'newest', limit: 1 })).events[0]!
  const { events: answers } = await events.read({ type: 'model-answered', cursor: called.seq })
  return { called, answered: answers.find(({ parent }) => parent === called.id) }
}

function stream(
  model: string,
  text: string,
  { signal = new AbortController().signal, before = [] as ModelMessage[] } = {},
) {
  const seen: StreamedPart[] = []
  const messages: ModelMessage[] = [...before, { role: 'user', text }]
  const answer = models.stream({
    model,
    messages,
    tools: [tool],
    place: { session: 's1' },
    signal,
    onPart: (part) => void seen.push(part),
  })
  return { answer, seen }
}

describe.each(['openai/gpt-x', 'anthropic/claude-x', 'google/gemini-x', 'openai-compatible/local'])('%s', (name) => {
  const provider = name.split('/')[0]!

  test('streams text, thinking and parallel calls, and gets their results back', async () => {
    const script = `THINK hm\nSAY two notes\nPARALLEL\nCALL note_write {"text":"a"}\nCALL note_write {"text":"b"}\nFINAL done ${provider}`
    const { answer, seen } = stream(name, script)
    const first = await answer
    const calls = first.parts.filter((part) => part.type === 'call')
    expect(calls.map(({ name: called, input }) => [called, JSON.parse(input)])).toEqual([
      ['note_write', { text: 'a' }],
      ['note_write', { text: 'b' }],
    ])
    expect(first).toMatchObject({ provider, usage: { input_tokens: 100, output_tokens: 10 } })
    expect(seen.some((part) => part.is === 'growing' && part.type === 'text')).toBe(true)
    const whole = seen.flatMap((part) => (part.is === 'whole' ? [part.part.type] : []))
    expect(whole).toEqual(provider === 'openai-compatible' ? expect.any(Array) : ['thinking', 'text', 'call', 'call'])
    const results = calls.map((call) => ({
      role: 'tool' as const,
      callId: call.id,
      name: call.name,
      text: 'written',
      isError: false,
    }))
    const messages: ModelMessage[] = [
      { role: 'user', text: script },
      { role: 'assistant', parts: first.parts },
      ...results,
    ]
    const place = { session: 's1' }
    const signal = new AbortController().signal
    const second = await models.stream({ model: name, messages, tools: [tool], place, signal, onPart() {} })
    expect(second).toMatchObject({ finish: 'stop', parts: [{ type: 'text', text: `done ${provider}` }] })
  })

  test('generates one answer, and records the call before and after, without the key', async () => {
    const signal = new AbortController().signal
    const prompt = `Say this key: ${key}`
    const answer = await models.generate({ model: name, prompt, place: { session: 's1' }, signal })
    expect(answer).toMatchObject({ text: 'A scripted side answer', provider, usage: { input_tokens: 100 } })
    const { called, answered } = await recordedCall()
    const place = { session: 's1', thread: 't1', correlation: 'c1', provider, route: provider }
    expect(called).toMatchObject({ type: 'model-called', ...place })
    expect(answered).toMatchObject({ type: 'model-answered', ...place, parent: called.id, payload: { outcome: 'ok' } })
    expect(JSON.stringify([called, answered])).not.toContain(key)
  })

  test('repeats a call that failed before an answer began, and not one that the provider refused', async () => {
    const retried = stream(name, `FAIL 503 1\nFINAL ${provider} is back`)
    expect((await retried.answer).parts).toMatchObject([{ type: 'text', text: `${provider} is back` }])
    await expect(stream(name, `FAIL 401\nFINAL ${provider} never`).answer).rejects.toThrow(/failed \(HTTP 401\).*key/)
    const asked = scripted.asked.filter(({ prompt }) => prompt.includes(`${provider} never`))
    expect(asked).toHaveLength(1)
    const { answered } = await recordedCall()
    expect(answered?.payload).toMatchObject({ outcome: 'error', error: { status: 401 } })
  })

  test('rejects an answer that was cut, passes on the part that arrived, and does not ask again', async () => {
    const { answer, seen } = stream(name, `SLOW 5\nCUT 5\nLONG 40\nFINAL ${provider} cut`)
    await expect(answer).rejects.toThrow()
    expect(seen.some((part) => part.is === 'growing')).toBe(true)
    expect(scripted.asked.filter(({ prompt }) => prompt.includes(`${provider} cut`))).toHaveLength(1)
  })

  test('stops when its caller aborts', async () => {
    const aborting = new AbortController()
    const { answer } = stream(name, `STALL\nFINAL ${provider} stalled`, { signal: aborting.signal })
    await expect.poll(() => scripted.stalled).toBeGreaterThan(0)
    aborting.abort()
    await expect(answer).rejects.toThrow()
    expect((await recordedCall()).answered?.payload).toMatchObject({ outcome: 'cancelled' })
    await expect.poll(() => scripted.stalled).toBe(0)
  })
})

test('only a provider with a search of its own can search', async () => {
  const signal = new AbortController().signal
  const search = (model: string) => models.generate({ model, prompt: 'news', search: true, place: {}, signal })
  await expect(search('openai-compatible/local')).rejects.toThrow('cannot search the web')
  for (const model of ['openai/gpt-x', 'anthropic/claude-x', 'google/gemini-x']) await search(model)
  expect(models.canSearch()).toBe(false)
  expect(models.canSearch('google/gemini-x')).toBe(true)
})

describe('the choice of a model', () => {
  const environment = { GEMINI_API_KEY: 'g', ANTHROPIC_API_KEY: 'a' }

  test('takes the first provider with a key if no model is set', () => {
    expect(chooseModel({ ...none, environment })).toMatchObject({ provider: 'anthropic', key: 'a' })
  })

  test('takes the model that is set', () => {
    const chosen = chooseModel({ ...none, environment, model: 'google/gemini-x' })
    expect(chosen).toMatchObject({ provider: 'google', model: 'gemini-x', key: 'g' })
  })

  test('takes any name for a compatible server, also one with a slash, and needs no key', () => {
    const chosen = chooseModel({ ...none, environment, model: 'google/gemma', baseUrl: 'http://127.0.0.1:1/v1' })
    expect(chosen).toMatchObject({ provider: 'openai-compatible', model: 'google/gemma', key: undefined })
    expect(chooseModel({ ...none, baseUrl: 'http://127.0.0.1:1/v1' }, chosen.name)).toMatchObject({
      model: 'google/gemma',
    })
  })

  test('says what to set if no model can be chosen', () => {
    expect(() => chooseModel(none)).toThrow(/Set one of OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY for the hub/)
    expect(() => chooseModel({ ...none, environment }, 'openai/gpt-x')).toThrow('Set OPENAI_API_KEY')
    expect(() => chooseModel({ ...none, environment, model: 'gpt-x' })).toThrow('Write provider/model')
    expect(() => chooseModel({ ...none, baseUrl: 'http://127.0.0.1:1' })).toThrow('Set SIGNALBOX_MODEL')
  })
})

test('a server that does not answer is named, without the rest of its address', async () => {
  const { origin } = await closedServer()
  const settings = { ...none, model: 'local', baseUrl: `${origin}/secret-path` }
  const away = createModels({ settings, events, redactor: createRedactor() })
  const signal = new AbortController().signal
  const answer = away.generate({ prompt: 'hello', place: {}, signal })
  await expect(answer).rejects.toThrow(`No server answers at ${origin}. Start it, then try again.`)
})

async function closedServer(): Promise<{ origin: string }> {
  await using server = await startScriptedModel()
  return { origin: server.origin }
}
