import { expect, test } from 'vitest'
import type { OpenedStore } from '../../test/harness/store-engines.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { addQueued, useWorld } from '../../test/worlds/session-world.ts'
import type { NewEvent } from '../api/event.ts'
import type { ChatMessage } from '../api/chat.ts'
import type { ChatInbox } from './message.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import { createSignals } from '../feature/feature.ts'
import { createNotices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import { maxChatBytes, maxMessages, maxReadBytes } from './store/chat-store.ts'
import { createChat } from './chat.ts'

const never = new AbortController().signal
const now = { limit: 100, timeoutMs: 0, signal: never }

async function openChat(openStore: () => Promise<OpenedStore>) {
  const opened = await openStore()
  const { store, sessions } = useWorld(opened, [], { jobConcurrency: 0 })
  const { id } = await addQueued(sessions, 'agent')
  const redactor = createRedactor()
  redactor.addSecret('hunter2-hunter2')
  const events: NewEvent[] = []
  const changed: string[] = []
  const signalled: object[] = []
  const log = createLog({ level: 'error', redactor })
  const signals = createSignals(log)
  signals.connect({ 'chat-posted': (signal) => void signalled.push(signal) })
  const start = (on: Store = store) =>
    createChat({
      store: on,
      hubId: 'hub-1',
      events: {
        async append(event) {
          events.push(event)
          return { seq: 0, id: '', at: '' }
        },
      },
      notices: { ...createNotices(), resourceChanged: (uri, face = '') => void changed.push(`${face} ${uri}`.trim()) },
      signals,
      redactor,
      environment: {},
      findSession: (name) => sessions.find(name),
      faceIdOf: (id) => `compositor:${id}`,
      log,
    })
  /** Several hubs may share a PostgreSQL. */
  const twoHubs = async () => [start(), start(store.engine === 'postgres' ? await opened.reopen() : store)] as const
  return { start, twoHubs, store, sessions, id, events, changed, signalled, reopen: opened.reopen }
}

function textsOf(messages: readonly ChatMessage[]): readonly string[] {
  return messages.map(({ content }) => content)
}

describeOnEachEngine('chat', (open) => {
  test('each side reads what the other has posted, once and in order, also after a restart of the hub', async () => {
    const { start, id, reopen } = await openChat(open)
    const chat = start()
    await chat.post('agent', { side: 'person', content: 'one' })
    await chat.post(id, { side: 'person', content: 'two', mime: 'text/markdown' })
    await chat.post(id, { side: 'agent', content: 'three' })
    const first = await chat.readPending(id, 'agent', { limit: 1 })
    expect(first).toMatchObject({ messages: [{ id: 1, content: 'one', mime: 'text/plain' }], readTo: 1, unread: 1 })

    const next = start(await reopen())
    const second = await next.readPending(id, 'agent', { limit: 10 })
    expect(second).toMatchObject({ messages: [{ id: 2, content: 'two', mime: 'text/markdown' }], readTo: 2, unread: 0 })
    expect(await next.readPending(id, 'agent', { limit: 10 })).toMatchObject({ messages: [], readTo: 2 })
    expect(await next.read('agent', now)).toMatchObject({
      session: 'agent',
      messages: [{ id: 3, side: 'agent', content: 'three' }],
      head: 3,
      read: { person: 3, agent: 2 },
      unread: 0,
    })
    expect((await next.read('agent', now)).messages).toEqual([])
  })

  test('with "since" a side gets messages again, and the mark never goes back', async () => {
    const { start, id } = await openChat(open)
    const chat = start()
    for (const content of ['one', 'two', 'three']) await chat.post(id, { side: 'person', content })
    await chat.readPending(id, 'agent', { limit: 10 })
    const again = await chat.readPending(id, 'agent', { since: 1, limit: 1 })
    expect(textsOf(again.messages)).toEqual(['two'])
    expect(again.readTo).toBe(3)
    await chat.post(id, { side: 'agent', content: 'four' })
    const all = await chat.read(id, { ...now, since: 0 })
    expect(textsOf(all.messages)).toEqual(['one', 'two', 'three', 'four'])
    expect(all.read).toEqual({ person: 4, agent: 3 })
  })

  test('of several readers at once, exactly one gets each message', async () => {
    const { twoHubs, id } = await openChat(open)
    const hubs = await twoHubs()
    for (let count = 0; count < 30; count++) await hubs[0].post(id, { side: 'person', content: `message ${count}` })
    const readers = Array.from({ length: 6 }, async (_, index) => {
      const got: ChatMessage[] = []
      for (;;) {
        const { messages } = await hubs[index % 2]!.readPending(id, 'agent', { limit: 3 })
        if (messages.length === 0) return got
        got.push(...messages)
      }
    })
    const got = (await Promise.all(readers)).flat().map((message) => message.id)
    expect(got.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
  })

  test('concurrent posts get different ids, without a gap', async () => {
    const { twoHubs, id } = await openChat(open)
    const hubs = await twoHubs()
    const post = (_: unknown, index: number) => hubs[index % 2]!.post(id, { side: 'agent', content: `${index}` })
    const ids = (await Promise.all(Array.from({ length: 20 }, post))).map((message) => message.id)
    expect(ids.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  })

  test('the built-in agent loses no message if it dies before it has stored it', async () => {
    const { start, id, reopen } = await openChat(open)
    const chat = start()
    await chat.post(id, { side: 'person', content: 'hello' })
    const texts = ({ messages }: ChatInbox) => messages.map(({ text }) => text)
    expect(texts(await chat.inboxOf(id))).toEqual(['hello'])
    const next = start(await reopen())
    const inbox = await next.inboxOf(id)
    expect(texts(inbox)).toEqual(['hello'])
    await inbox.taken()
    expect(texts(await next.inboxOf(id))).toEqual([])
    await next.post(id, { side: 'person', content: 'more' })
    expect(texts(await next.inboxOf(id))).toEqual(['more'])
  })

  test('a removed session takes its chat with it', async () => {
    const { start, store, sessions, id } = await openChat(open)
    const chat = start()
    await chat.post(id, { side: 'person', content: 'one' })
    await chat
      .bridge(id, { homeserver: 'http://127.0.0.1:1', room: '!r:x', token_env: 'NO_TOKEN', users: [] })
      .catch(() => {})
    await sessions.kill(await sessions.find(id), { remove: true })
    for (const table of ['chats', 'chat_messages', 'chat_rooms', 'chat_room_events'] as const)
      expect(await store.db.selectFrom(table).selectAll().execute()).toEqual([])
    await expect(chat.post(id, { side: 'person', content: 'two' })).rejects.toThrow('There is no session')
  })

  test('a known secret is not stored, and neither is a character that a database cannot hold', async () => {
    const { start, store, id } = await openChat(open)
    await start().post(id, { side: 'agent', content: 'the password is hunter2-hunter2\0 \ud800' })
    const [row] = await store.db.selectFrom('chat_messages').selectAll().execute()
    expect(row!.content).not.toContain('hunter2')
    expect(row!.content).toMatch(/^the password is \S+ \ufffd$/)
  })
})

describeOnEachEngine('a chat that is full', (open) => {
  test('refuses a message beyond its limits, and keeps the others', async () => {
    const { start, store, id } = await openChat(open)
    const chat = start()
    await chat.post(id, { side: 'person', content: 'one' })
    await store.db.updateTable('chats').set({ head: maxMessages }).execute()
    await expect(chat.post(id, { side: 'agent', content: 'x' })).rejects.toThrow('Start another session to go on.')
    await store.db
      .updateTable('chats')
      .set({ head: 1, bytes: maxChatBytes - 1 })
      .execute()
    await expect(chat.post(id, { side: 'agent', content: 'xx' })).rejects.toThrow('32 MiB')
    expect(await chat.post(id, { side: 'agent', content: 'x' })).toMatchObject({ id: 2 })
    expect(textsOf((await chat.read(id, { ...now, since: 0 })).messages)).toEqual(['one', 'x'])
  })

  test('one answer is not longer than a model can take, and the next one continues from there', async () => {
    const { start, id } = await openChat(open)
    const chat = start()
    const long = 'x'.repeat(60 * 1024)
    for (let count = 0; count < 10; count++) await chat.post(id, { side: 'person', content: long })
    const got: ChatMessage[] = []
    for (let answers = 0; got.length < 10; answers++) {
      expect(answers).toBeLessThan(5)
      const { messages } = await chat.readPending(id, 'agent', { limit: 100 })
      expect(messages.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThanOrEqual(maxReadBytes)
      got.push(...messages)
    }
    expect(got.map((message) => message.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})

describeOnEachEngine('what others learn of a post', (open) => {
  test('only the other side gets a notice, and the event has no text', async () => {
    const { start, id, events, changed, signalled } = await openChat(open)
    const chat = start()
    await chat.post('agent', { side: 'person', content: 'hello', correlation: 'c1' })
    expect(changed).toEqual([`compositor:${id} resource://chat`])
    changed.length = 0
    await chat.post('agent', { side: 'agent', content: 'hi there' })
    expect(changed).toEqual([`resource://sessions/${id}/chat`, 'resource://sessions/agent/chat'])
    await chat.post('agent', { side: 'person', content: 'bye' })

    expect(signalled).toEqual(['person', 'agent', 'person'].map((side) => ({ session: id, side })))
    const placed = { type: 'chat-posted', session: id }
    expect(events).toEqual([
      { ...placed, correlation: 'c1', payload: { side: 'person', message: 1, bytes: 5 } },
      { ...placed, payload: { side: 'agent', message: 2, bytes: 8 } },
      { ...placed, payload: { side: 'person', message: 3, bytes: 3 } },
    ])
  })

  test('people see that the agent has read, and the agent is not woken by people who read', async () => {
    const { start, id, changed } = await openChat(open)
    const chat = start()
    await chat.post(id, { side: 'person', content: 'hello' })
    await chat.post(id, { side: 'agent', content: 'hi' })
    changed.length = 0
    await chat.read(id, now)
    await chat.look(id)
    expect(changed).toEqual([])
    await chat.readPending(id, 'agent', { limit: 10 })
    expect(changed).toEqual([`resource://sessions/${id}/chat`, 'resource://sessions/agent/chat'])
    changed.length = 0
    await chat.readPending(id, 'agent', { limit: 10 })
    expect(changed).toEqual([])
    expect(await chat.look(id)).toMatchObject({ read: { person: 2, agent: 1 } })
  })

  test('a person who waits gets the next message of the agent', async () => {
    const { start, id } = await openChat(open)
    const chat = start()
    const waiting = chat.read(id, { ...now, timeoutMs: 60_000 })
    await chat.post(id, { side: 'person', content: 'still there?' })
    await chat.post(id, { side: 'agent', content: 'yes' })
    expect(textsOf((await waiting).messages)).toEqual(['yes'])
  })
})
