/** The chat of a session on a real hub: people by management, the agent by its compositor. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliOutcome, runInProcess } from './fixtures/run-cli.ts'
import { callTool, type Endpoint } from './harness/modern-call.ts'
import type { EventStream } from './http/event-stream.ts'
import { modern, modernStream } from './http/modern-request.ts'
import { faultsIn, type OwnHub, patience } from './worlds/own-hub.ts'
import { failureOf, start, startSessionHub } from './worlds/session-hub.ts'

interface Message {
  readonly id: number
  readonly content: string
}

let hub: OwnHub
beforeAll(async () => void (hub = await startSessionHub()))
afterAll(async () => {
  const faults = faultsIn(hub.log())
  await hub[Symbol.asyncDispose]()
  expect(faults).toEqual([])
})

async function startAgent(name: string): Promise<{ readonly id: string; readonly agent: Endpoint }> {
  const { id } = await start(hub, name, 'cat')
  const { token } = await hub.call('issue_token', { role: 'agent', session: name })
  return { id, agent: { url: hub.url, token: String(token) } }
}

function signalbox(...argv: readonly string[]): Promise<CliOutcome> {
  return runInProcess(argv, { env: { SIGNALBOX_HOME: hub.home, SIGNALBOX_PORT: '0' } })
}

async function pendingOf(agent: Endpoint, args: Readonly<Record<string, unknown>> = {}): Promise<readonly Message[]> {
  return (await callTool(agent, 'chat_read_pending_messages', args))['messages'] as readonly Message[]
}

async function chatOf(session: string, args: Readonly<Record<string, unknown>> = {}): Promise<readonly Message[]> {
  return (await hub.call('read_chat', { session, ...args }))['messages'] as readonly Message[]
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ content }) => content)
}

async function readResource(uri: string, token?: string): Promise<Readonly<Record<string, unknown>>> {
  const { body } = await modern(hub, 'resources/read', { uri }, token === undefined ? {} : { token })
  const { result } = body as { result: { contents: readonly { text: string }[] } }
  return JSON.parse(result.contents[0]!.text) as Readonly<Record<string, unknown>>
}

async function listen(uris: readonly string[], token?: string): Promise<EventStream> {
  const filter = { notifications: { resourceSubscriptions: uris } }
  const stream = await modernStream(hub, 'subscriptions/listen', filter, token === undefined ? {} : { token })
  expect(await stream.message()).toMatchObject({ params: { notifications: { resourceSubscriptions: uris } } })
  return stream
}

function urisOf({ messages }: EventStream): readonly string[] {
  const notices = messages as readonly { readonly method?: string; readonly params?: { readonly uri?: string } }[]
  return notices.flatMap(({ method, params }) =>
    method === 'notifications/resources/updated' ? [params?.uri ?? ''] : [],
  )
}

test('a person and an agent write to each other, and no model has to run', async () => {
  const { id, agent } = await startAgent('talk')
  expect(await hub.call('post_chat', { session: 'talk', content: 'Which port?' })).toMatchObject({ id: 1 })
  const read = await callTool(agent, 'chat_read_pending_messages')
  expect(read).toMatchObject({ messages: [{ id: 1, content: 'Which port?' }], last_id: 1, unread: 0 })
  expect(await callTool(agent, 'chat_post', { content: '**7420**', mime: 'text/markdown' })).toEqual({ id: 2 })
  expect(await hub.call('read_chat', { session: id })).toMatchObject({
    session: 'talk',
    messages: [{ id: 2, side: 'agent', content: '**7420**', mime: 'text/markdown' }],
    read: { person: 2, agent: 1 },
  })
  for (const name of ['talk', id]) {
    const chat = await readResource(`resource://sessions/${name}/chat`)
    expect(textsOf(chat['messages'] as readonly Message[])).toEqual(['Which port?', '**7420**'])
  }
  expect(await readResource('resource://chat', agent.token)).toMatchObject({ head: 2, last_read: 1 })
})

test('a notice goes to the other side only', async () => {
  const { id, agent } = await startAgent('notices')
  const [byId, byName] = [`resource://sessions/${id}/chat`, 'resource://sessions/notices/chat']
  using person = await listen([byId, byName])
  using own = await listen(['resource://chat'], agent.token)
  await hub.call('post_chat', { session: 'notices', content: 'hello' })
  await expect.poll(() => urisOf(own), patience).toEqual(['resource://chat'])
  expect(urisOf(person)).toEqual([])
  await callTool(agent, 'chat_post', { content: 'hi' })
  await expect.poll(() => new Set(urisOf(person)), patience).toEqual(new Set([byId, byName]))
  // A later notice of the agent's own resource shows that its own post caused none before.
  await hub.call('post_chat', { session: 'notices', content: 'again' })
  await expect.poll(() => urisOf(own).length, patience).toBe(2)
})

test('of twenty concurrent calls, exactly one gets each message', async () => {
  const { agent } = await startAgent('crowd')
  for (let count = 0; count < 30; count++) await hub.call('post_chat', { session: 'crowd', content: `${count}` })
  const reads = await Promise.all(Array.from({ length: 20 }, () => pendingOf(agent, { limit: 3 })))
  const rest = await pendingOf(agent)
  const ids = [...reads.flat(), ...rest].map(({ id }) => id)
  expect(ids.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
})

test('a killed hub loses no message and no mark, and an answer that was lost can be read again', async () => {
  const { agent } = await startAgent('killed')
  for (const content of ['one', 'two', 'three']) await hub.call('post_chat', { session: 'killed', content })
  expect(textsOf(await pendingOf(agent, { limit: 1 }))).toEqual(['one'])
  const reading = pendingOf(agent).catch(() => undefined)
  await hub.restart('SIGKILL')
  const answered = await reading
  // The hub died before the read, or after it and before the answer. With "since", both are the same for the agent.
  const again = answered ?? (await pendingOf(agent, { since: 1 }))
  expect(textsOf(again)).toEqual(['two', 'three'])
  expect(await pendingOf(agent)).toEqual([])
  expect(await hub.call('read_chat', { session: 'killed', since: 0 })).toMatchObject({ head: 3, read: { agent: 3 } })
})

test('a hub that is killed again and again keeps every message it confirmed, and gives none out twice', async () => {
  const rounds = 2
  const { agent } = await startAgent('soak')
  const confirmed: string[] = []
  const given: Message[] = []
  for (let round = 0; round < rounds; round++) {
    const postAll = async () => {
      for (let count = 0; ; count++) {
        const content = `${round}.${count}`
        await hub.call('post_chat', { session: 'soak', content })
        confirmed.push(content)
      }
    }
    const readAll = async () => {
      for (;;) given.push(...(await pendingOf(agent, { limit: 3 })))
    }
    const working = Promise.allSettled([postAll(), readAll(), readAll()])
    const before = given.length
    await expect.poll(() => given.length - before, patience).toBeGreaterThan(10)
    await hub.restart('SIGKILL')
    await working
  }
  given.push(...(await pendingOf(agent, { limit: 1_000 })))
  const stored = await chatOf('soak', { since: 0, limit: 1_000 })
  expect(textsOf(stored)).toEqual(expect.arrayContaining(confirmed))
  expect(new Set(textsOf(stored)).size).toBe(stored.length)
  expect(stored.map(({ id }) => id)).toEqual(stored.map((_, index) => index + 1))
  expect(new Set(given.map(({ id }) => id)).size).toBe(given.length)
  // Two readers may each have lost one answer to each kill, and no more than that.
  expect(stored.length - given.length).toBeLessThanOrEqual(rounds * 2 * 3)
  expect(await pendingOf(agent)).toEqual([])
})

test('a removed session takes its chat with it, and an ended one takes no more messages', async () => {
  await startAgent('gone')
  await hub.call('post_chat', { session: 'gone', content: 'hello' })
  await hub.call('kill_session', { name: 'gone' })
  expect(await failureOf(hub, 'post_chat', { session: 'gone', content: 'x' })).toContain('resume_session')
  expect(textsOf(await chatOf('gone', { since: 0 }))).toEqual(['hello'])
  await hub.call('kill_session', { name: 'gone', remove: true })
  expect(await failureOf(hub, 'read_chat', { session: 'gone' })).toContain('There is no session "gone"')
})

test('the log has that a message was posted and by which side, and not its text', async () => {
  const { id, agent } = await startAgent('logged')
  await hub.call('post_chat', { session: 'logged', content: 'pomegranate' })
  await callTool(agent, 'chat_post', { content: 'tangerine' })
  const { events } = await hub.call('query_events', { session: 'logged', limit: 100 })
  const posted = (events as readonly { type: string }[]).filter(({ type }) => type === 'chat-posted')
  expect(posted).toMatchObject([
    { session: id, correlation: expect.any(String), payload: { side: 'person', message: 1, bytes: 11 } },
    { session: id, correlation: expect.any(String), payload: { side: 'agent', message: 2, bytes: 9 } },
  ])
  const all = JSON.stringify((await hub.call('query_events', { limit: 1_000 }))['events'])
  expect(all).toContain('chat-posted')
  expect(all).not.toMatch(/pomegranate|tangerine/)
})

test.each([
  [{ content: ' \n' }, '"content": write a message that is not empty'],
  [{ content: 'x'.repeat(64 * 1024 + 1) }, '"content": a message has at most 64 KiB'],
  [{ content: 'x', mime: 'markdown' }, '"mime": write a media type, such as "text/markdown"'],
])('a message that cannot be taken is refused with a sentence that says why: %#', async (args, sentence) => {
  const failure = await failureOf(hub, 'post_chat', { session: 'talk', ...args })
  expect(failure).toContain(sentence)
})

test('at the shell, a person posts, reads and follows', async () => {
  const { agent } = await startAgent('shell')
  const posted = await signalbox('chat', 'shell', 'Which port?')
  expect(posted).toMatchObject({ code: 0, out: '', err: expect.stringContaining('shell has the message') })
  expect(textsOf(await pendingOf(agent))).toEqual(['Which port?'])
  expect(await signalbox('chat', 'shell')).toMatchObject({ code: 0, err: 'signalbox: there are no new messages.' })
  await callTool(agent, 'chat_post', { content: '7420\nperson: delete it' })
  expect(await signalbox('chat', 'shell')).toMatchObject({ code: 0, out: 'agent: 7420\n  person: delete it', err: '' })

  const following = signalbox('chat', 'shell', 'ready', '--follow', '--json')
  await expect.poll(async () => textsOf(await pendingOf(agent)), patience).toContain('ready')
  await callTool(agent, 'chat_post', { content: 'one' })
  await hub.call('post_chat', { session: 'shell', content: 'two' })
  await callTool(agent, 'chat_post', { content: 'three' })
  await hub.call('kill_session', { name: 'shell' })
  const { code, out } = await following
  expect(code).toBe(0)
  const messages = out.split('\n').map((line) => JSON.parse(line) as Message)
  expect(textsOf(messages)).toEqual(['one', 'two', 'three'])
})

test('at the shell, no message controls the terminal of the person who reads it', async () => {
  const { agent } = await startAgent('hostile')
  await callTool(agent, 'chat_post', { content: 'a\u001b[2Jb\u0007c\rd\u202ee\u009bf' })
  const { out } = await signalbox('chat', 'hostile')
  expect(out).toBe('agent: a\\u001b[2Jb\\u0007c\\u000dd\\u202ee\\u009bf')
})
