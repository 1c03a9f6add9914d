import { expect, test } from 'vitest'
import type { OpenedStore } from '../../test/harness/store-engines.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { NewEntry } from '../api/thread.ts'
import { createRedactor } from '../base/redact.ts'
import { createNotices } from '../mcp/mcp.ts'
import { addQueued, useWorld } from '../../test/worlds/session-world.ts'
import type { Threads } from './threads.ts'
import { createThreads } from './threads.ts'

const at = '2026-01-01T00:00:00.000Z'
const never = new AbortController().signal

function prompt(key: string, text: string): NewEntry {
  return { type: 'prompt', key, at, text }
}

function said(key: string, text: string): NewEntry {
  return { type: 'text', key, at, text, model: 'm1' }
}

async function openThreads(openStore: () => Promise<OpenedStore>) {
  const { store, sessions } = useWorld(await openStore(), [], { jobConcurrency: 0 })
  const { id } = await addQueued(sessions, 'agent')
  const redactor = createRedactor()
  redactor.addSecret('hunter2-hunter2')
  const start = (): Threads =>
    createThreads({
      store,
      notices: createNotices(),
      signals: { emit() {} },
      redactor,
      findSession: (name) => sessions.find(name),
    })
  const session = { id, name: 'agent', agent: 'claude' }
  return { start, session, sessions }
}

describeOnEachEngine('threads', (open) => {
  test('an entry that is written twice is stored once and in order, also by a new hub', async () => {
    const { start, session } = await openThreads(open)
    const first = start().writerOf(session)
    await first.append('c1', [prompt('p1', 'hi'), said('a1', 'hello')], { readTo: '7' })
    const threads = start()
    const second = threads.writerOf(session)
    expect(await second.progress()).toBe('7')
    await second.append('c1', [said('a1', 'hello'), { type: 'complete', key: 'e1', at, status: 'completed' }])
    const { messages, events } = await threads.read('agent', { signal: never })
    expect(messages).toMatchObject([
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'assistant', provider: 'claude', model: 'm1', content: [{ type: 'text', text: 'hello' }] },
    ])
    expect(events.map(({ type }) => type)).toEqual(['prompt', 'token', 'final', 'complete'])
    expect(events[2]).toMatchObject({ type: 'final', text: 'hello' })
  })

  test('a viewer who joins in the middle of a text gets every character once', async () => {
    const { start, session } = await openThreads(open)
    const threads = start()
    const writer = threads.writerOf(session)
    await writer.append('c1', [prompt('p1', 'hi')])
    writer.draft('c1', { key: 'a1', type: 'text', text: 'one ' })
    const joined = await threads.read('agent', { signal: never, since: undefined })
    writer.draft('c1', { key: 'a1', type: 'text', text: 'one two ' })
    const more = await threads.read('agent', { since: joined.cursor, timeoutMs: 10_000, signal: never })
    await writer.append('c1', [said('a1', 'one two three')])
    const rest = await threads.read('agent', { since: more.cursor, signal: never })
    const tokens = [joined, more, rest].flatMap(({ events }) => events.filter(({ type }) => type === 'token'))
    expect(tokens.map((frame) => ('text' in frame ? frame.text : '')).join('')).toBe('one two three')
    expect((await threads.read('agent', { since: rest.cursor, signal: never })).events).toEqual([])
  })

  test('of the texts that an agent begins and never finishes, only a few short ones are kept', async () => {
    const { start, session } = await openThreads(open)
    const threads = start()
    const writer = threads.writerOf(session)
    await writer.append('c1', [prompt('p1', 'hi')])
    writer.draft('c1', { key: 'long', type: 'text', text: 'x'.repeat(4_000_000) })
    for (let n = 0; n < 100; n++) writer.draft('c1', { key: `a${n}`, type: 'text', text: `text ${n}` })
    await writer.append('c1', [prompt('p2', 'and')])
    const { events, thread_id: first } = await threads.read('agent', { signal: never })
    const shown = events.flatMap((frame) => (frame.type === 'token' ? frame.text : []))
    expect(shown).toEqual(Array.from({ length: 20 }, (_, index) => `text ${80 + index}`))

    writer.draft('c2', { key: 'b', type: 'text', text: 'elsewhere' })
    await writer.append('c2', [prompt('p3', 'hi')])
    const left = await threads.read(first, { signal: never })
    expect(left.events.filter(({ type }) => type === 'token')).toEqual([])
  })

  test('tool calls and their results are messages and frames, and the result repeats the parameters', async () => {
    const { start, session } = await openThreads(open)
    const threads = start()
    const writer = threads.writerOf(session)
    await writer.append('c1', [
      prompt('p1', 'list'),
      { type: 'thinking', key: 't1', at, text: 'hm' },
      { type: 'tool-request', key: 'call:1', at, callId: '1', name: 'Bash', parameters: { command: 'ls' } },
      { type: 'tool-request', key: 'call:2', at, callId: '2', name: 'Bash', parameters: { command: 'id' } },
    ])
    await writer.append('c1', [
      { type: 'tool-result', key: 'result:1', at, callId: '1', name: 'Bash', result: 'a b' },
      { type: 'tool-result', key: 'result:2', at, callId: '2', name: 'Bash', result: null, error: 'x'.repeat(1_000) },
      said('a1', 'done'),
    ])
    const { messages, events } = await threads.read('agent', { signal: never })
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'thinking' }], tool_calls: [{ id: '1' }, { id: '2' }] },
      { role: 'tool', tool_call_id: '1', content: [{ text: 'a b' }] },
      { role: 'tool', tool_call_id: '2', is_error: true },
      { role: 'assistant', content: [{ text: 'done' }] },
    ])
    expect(events.filter(({ type }) => type === 'tool-result')).toMatchObject([
      { stage: 'success', parameters: { command: 'ls' }, result: 'a b' },
      {
        stage: 'error',
        parameters: { command: 'id' },
        errorFull: 'x'.repeat(1_000),
        errorTrimmed: `${'x'.repeat(400)}…`,
      },
    ])
  })

  test('a conversation that a later session continues stays one thread', async () => {
    const { start, session, sessions } = await openThreads(open)
    const threads = start()
    await threads.writerOf(session).append('c1', [prompt('p1', 'hi')])
    await sessions.kill(await sessions.find('agent'), { remove: false })
    const { id } = await addQueued(sessions, 'later')
    await threads.writerOf({ id, name: 'later', agent: 'claude' }).append('c1', [prompt('p2', 'again')])
    const thread = await threads.read('later', { signal: never })
    expect(thread).toMatchObject({ session: 'later', messages: [{ id: 'p1' }, { id: 'p2' }] })
    expect(threads.currentOf(id)).toBe(thread.thread_id)
  })

  test('a session cannot write to the thread of another that runs, or take it, by naming its conversation', async () => {
    const { start, session, sessions } = await openThreads(open)
    const threads = start()
    await threads.writerOf(session).append('c1', [prompt('p1', 'hi')])
    const { id } = await addQueued(sessions, 'other')
    const other = threads.writerOf({ id, name: 'other', agent: 'claude' })
    await expect(other.append('c1', [said('a1', 'forged')])).rejects.toThrow('belongs to the session "agent"')
    other.draft('c1', { key: 'a2', type: 'text', text: 'forged' })
    await expect(threads.read('other', { signal: never })).rejects.toThrow('has no thread')
    expect(await threads.read('agent', { signal: never })).toMatchObject({ session: 'agent', messages: [{ id: 'p1' }] })
  })

  test('a fork shares the messages up to its point, and goes its own way', async () => {
    const { start, session } = await openThreads(open)
    const threads = start()
    await threads.writerOf(session).append('c1', [prompt('p1', 'hi'), said('a1', 'one'), prompt('p2', 'more')])
    const fork = await threads.fork('agent', { at: 'a1', label: 'try' })
    expect(fork).toMatchObject({ label: 'try', fork_point: 'a1', messages: [{ id: 'p1' }, { id: 'a1' }] })
    expect((await threads.read(fork.parent!, { signal: never })).messages).toHaveLength(3)
    await expect(threads.fork('agent', { at: 'nothing' })).rejects.toThrow('the thread has no message "nothing"')
  })

  test('an imported thread has no session, keeps what its format says, and can be read, waited for and forked', async () => {
    const { start } = await openThreads(open)
    const threads = start()
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'sealed' }] },
    ]
    const imported = await threads.importThread(JSON.stringify(messages), {
      format: 'anthropic',
      label: 'from elsewhere',
    })
    expect(imported).toMatchObject({
      agent: 'anthropic',
      label: 'from elsewhere',
      messages: [{}, { provider: 'anthropic' }],
    })
    expect(imported.session).toBeUndefined()
    const later = await start().read(imported.thread_id, { since: imported.cursor, timeoutMs: 1, signal: never })
    expect(later.events).toEqual([])
    const fork = await threads.fork(imported.thread_id, { agent: 'codex' })
    expect(fork).toMatchObject({
      agent: 'codex',
      parent: imported.thread_id,
      messages: [{}, { provider: 'anthropic' }],
    })
    const entries = await threads.entriesOf(fork.thread_id)
    expect(entries[1]?.extra).toMatchObject({ format: 'anthropic', value: { part: { signature: 'sealed' } } })
  })

  test('a session continues the thread it was given with its first conversation, and begins others with the next', async () => {
    const { start, session } = await openThreads(open)
    const threads = start()
    const text = JSON.stringify([{ role: 'user', content: 'earlier' }])
    const imported = await threads.importThread(text, { format: 'openai-chat' })
    const { thread_id: id } = await threads.fork(imported.thread_id, { agent: session.agent })
    await threads.attach(id, session, undefined)
    const writer = start().writerOf(session)
    await writer.append('c1', [prompt('p1', 'hi'), { ...prompt('handed-over-1', 'earlier') }])
    expect((await start().read('agent', { signal: never })).messages).toMatchObject([
      { content: [{ text: 'earlier' }] },
      { id: 'p1' },
    ])
    await writer.append('c2', [prompt('p2', 'anew')])
    expect(await start().read('agent', { signal: never })).toMatchObject({ messages: [{ id: 'p2' }] })
    await writer.append('c1', [prompt('p3', 'back')])
    expect(await start().read(id, { signal: never })).toMatchObject({ messages: [{}, { id: 'p1' }, { id: 'p3' }] })
  })

  test('another agent gets a thread with calls that each have a result, and ids of their own', async () => {
    const { start, session } = await openThreads(open)
    const threads = start()
    await threads
      .writerOf(session)
      .append('c1', [
        prompt('p1', 'list'),
        { type: 'tool-request', key: 'call:x', at, callId: 'x', name: 'Bash', parameters: { command: 'ls' } },
      ])
    const earlier = await threads.earlier((await threads.find('agent')).id)
    expect(earlier.messagesIn('openai-chat')).toMatchObject([
      { role: 'user', content: 'list' },
      { role: 'assistant', tool_calls: [{ id: 'handed-over-1', function: { name: 'Bash' } }] },
      { role: 'tool', tool_call_id: 'handed-over-1', content: expect.stringMatching(/no result/) as string },
    ])
  })

  test('a draft does not go to a thread that another session has taken over meanwhile', async () => {
    const { start, session, sessions } = await openThreads(open)
    const threads = start()
    const first = threads.writerOf(session)
    await first.append('c1', [prompt('p1', 'hi')])
    await sessions.kill(await sessions.find('agent'), { remove: false })
    const { id } = await addQueued(sessions, 'later')
    await threads.writerOf({ id, name: 'later', agent: 'claude' }).append('c1', [prompt('p2', 'again')])
    first.draft('c1', { key: 'a1', type: 'text', text: 'too late' })
    // Writes run one after another, so the draft was refused before this append is.
    await expect(first.append('c1', [])).rejects.toThrow('belongs to the session "later"')
    expect(JSON.stringify(await threads.read('later', { signal: never }))).not.toContain('too late')
  })

  test('a known secret is not stored', async () => {
    const { start, session } = await openThreads(open)
    const threads = start()
    await threads.writerOf(session).append('c1', [said('a1', 'it is hunter2-hunter2!')])
    expect(JSON.stringify(await threads.read('agent', { signal: never }))).not.toContain('hunter2')
  })

  test('the usage of turns is counted once, by session, by day and over restarts, and not again for a fork', async () => {
    const { start, session } = await openThreads(open)
    const threads = start()
    const writer = threads.writerOf(session)
    const end = (key: string, at: string, cost?: number): NewEntry => ({
      type: 'complete',
      key,
      at,
      status: 'completed',
      usage: { input_tokens: 10, output_tokens: 2, ...(cost !== undefined && { cost_usd: cost }) },
    })
    const entries = [end('e1', '2026-01-01T22:30:00.000Z', 0.25), end('e2', '2026-01-01T23:30:00.000Z')]
    await writer.append('c1', entries)
    await writer.append('c1', [...entries, end('e3', '2026-01-02T10:00:00.000Z', 0.5)])
    await threads.fork('agent', {})
    const used = { input_tokens: 30, output_tokens: 6, cost_usd: 0.75 }
    expect(threads.usageOf(session.id)).toEqual(used)
    const later = start()
    await later.start!()
    expect(later.usageOf(session.id)).toEqual(used)

    const tool = later.providers!.flatMap(({ tools }) => tools?.() ?? []).find(({ name }) => name === 'get_usage')!
    const read = async (args: Record<string, unknown>) =>
      ((await tool.run({ since: '2026-01-01T00:00:00Z', ...args }, {} as never)) as { structuredContent: object })
        .structuredContent
    expect(await read({ by: 'day', time_zone: 'Europe/Berlin' })).toMatchObject({
      usage: [
        { day: '2026-01-02', turns: 2, input_tokens: 20, output_tokens: 4, cost_usd: 0.5 },
        { day: '2026-01-01', turns: 1, input_tokens: 10, output_tokens: 2, cost_usd: 0.25 },
      ],
    })
    expect(await read({ by: 'session', time_zone: 'UTC' })).toEqual({
      usage: [{ session: 'agent', session_id: session.id, turns: 3, ...used }],
      total: used,
    })
  })
})
