/**
 * The chat between the people and the agent of a session. It needs no running model: a message waits in the store until
 * the other side reads it.
 *
 *   post → store → event, signal, notice to the other side
 *   read → messages and the read mark of the side, in one transaction
 *
 * A read mark means: the hub has given out the messages up to this one. A hub that dies after it has moved the mark and
 * before it has answered leaves messages that count as read. The caller gets them with `since`.
 */
import type { ChatMessage, ChatSide, ChatView } from '../api/chat.ts'
import { isOver } from '../api/session.ts'
import { HubError } from '../base/hub-error.ts'
import { withoutKnownSecrets } from '../base/known-secrets.ts'
import type { Log } from '../base/log.ts'
import type { Redactor } from '../base/redact.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { EventLog } from '../events/events.ts'
import type { SignalSender } from '../feature/feature.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import { createAgentProvider } from './agent-tools.ts'
import type { ChatPage } from './store/chat-store.ts'
import { createChatStore, otherSide } from './store/chat-store.ts'
import { createPeopleProvider } from './chat-tools.ts'
import { ownChatUri, sessionChatUri } from './chat-uris.ts'
import { createMatrixBridges } from './matrix/matrix.ts'
import type { Chat, FindChatSession } from './message.ts'

export type { Chat } from './message.ts'

export interface ChatOptions {
  readonly store: Store
  readonly hubId: string
  readonly events: Pick<EventLog, 'append'>
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly signals: SignalSender
  readonly redactor: Pick<Redactor, 'forPerson' | 'addSecret'>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly findSession: FindChatSession
  /** The compositor of a session. */
  readonly faceIdOf: (sessionId: string) => string
  readonly log: Log
}

interface ChatSession {
  readonly id: string
  readonly name: string
}

/** A resource shows the newest. read_chat reads the others. */
const shownMessages = 50
/** The built-in agent reads at most this many messages before a step. It reads the rest before the next one. */
const mostPending = 100

export function createChat(options: ChatOptions): Chat {
  const { store, hubId, events, notices, signals, redactor, environment, findSession, faceIdOf, log } = options
  const rows = createChatStore(store)
  /** People who wait for a message, by session. */
  const waiting = new Map<string, Set<() => void>>()
  const clean = (text: string) => withoutKnownSecrets(redactor, text.replaceAll('\0', '').toWellFormed())
  const bridges = createMatrixBridges({
    store,
    hubId,
    redactor,
    environment,
    clean,
    onReceived: announce,
    onChange: (session) => signals.emit('chat-bridge-changed', { session }),
    log,
  })

  /** Tells the other side, and no one else. */
  function notify({ id, name }: ChatSession, side: ChatSide): void {
    if (side === 'person') return notices.resourceChanged(ownChatUri, faceIdOf(id))
    notices.resourceChanged(sessionChatUri(id))
    notices.resourceChanged(sessionChatUri(name))
  }

  async function announce(session: ChatSession, message: ChatMessage, correlation?: string): Promise<void> {
    const { id, side, content, from } = message
    await events
      .append({
        type: 'chat-posted',
        session: session.id,
        ...(correlation !== undefined && { correlation }),
        payload: { side, message: id, bytes: Buffer.byteLength(content), ...(from !== undefined && { from }) },
      })
      // The message is stored. An error here would make its author post it again.
      .catch((error: unknown) => log.error({ session: session.id, error }, 'could not record a chat message'))
    notify(session, side)
    for (const listener of waiting.get(session.id) ?? []) listener()
    signals.emit('chat-posted', { session: session.id, side })
  }

  function onChange(sessionId: string, listener: () => void): () => void {
    const all = waiting.get(sessionId) ?? new Set()
    waiting.set(sessionId, all.add(listener))
    return () => {
      all.delete(listener)
      if (all.size === 0) waiting.delete(sessionId)
    }
  }

  /** The room of a bridge and the other side can see that a side has read. */
  function noteRead(session: ChatSession, side: ChatSide): void {
    // An agent is not told that people have read: that would only wake it.
    if (side === 'person') return
    notify(session, side)
    bridges.wake(session.id)
  }

  function describe({ id, name }: ChatSession, { messages, head, read, unread, hasMore }: ChatPage): ChatView {
    const matrix = bridges.statusOf(id)
    return {
      session: name,
      messages: [...messages],
      head,
      read: { ...read },
      unread,
      has_more: hasMore,
      ...(matrix && { matrix }),
    }
  }

  const chat: Omit<Chat, 'providers' | 'providersOf' | 'on' | 'start' | typeof Symbol.asyncDispose> = {
    async post(nameOrId, { side, content, mime = 'text/plain', repliesTo, correlation }) {
      const session = await findSession(nameOrId)
      if (isOver(session.status)) throw hasEnded(session.name)
      const message = await rows.post(session.id, { side, mime, content: clean(content), repliesTo })
      await announce(session, message, correlation)
      bridges.wake(session.id)
      return message
    },
    async readPending(nameOrId, side, { since, limit }) {
      const session = await findSession(nameOrId)
      const page = await rows.read(session.id, { side, of: otherSide(side), after: since, limit })
      if (page.isMarkMoved) noteRead(session, side)
      return { messages: page.messages, readTo: page.read[side], unread: page.unread }
    },
    async read(nameOrId, { since, limit, timeoutMs, signal }) {
      const session = await findSession(nameOrId)
      const plan = { side: 'person', of: since === undefined ? 'agent' : undefined, after: since, limit } as const
      let page = await rows.read(session.id, plan)
      if (page.messages.length === 0 && timeoutMs > 0) {
        const found = await waitUntil({
          sources: [(listener) => onChange(session.id, listener)],
          async look() {
            const next = await rows.read(session.id, plan)
            return next.messages.length > 0 ? next : undefined
          },
          timeoutMs,
          signal,
        })
        page = found ?? page
      }
      return describe(session, page)
    },
    async look(nameOrId) {
      const session = await findSession(nameOrId)
      const plan = { side: 'person', after: 0, limit: shownMessages, isNewest: true, isMarked: false } as const
      return describe(session, await rows.read(session.id, plan))
    },
    async inboxOf(sessionId) {
      const plan = { side: 'agent', of: 'person', limit: mostPending, isMarked: false } as const
      const { messages } = await rows.read(sessionId, plan)
      return {
        messages: messages.map((message) => ({ id: `chat:${message.id}`, text: inboxText(message) })),
        async taken() {
          const last = messages.at(-1)
          if (!last) return
          await rows.mark(sessionId, 'agent', last.id)
          noteRead(await findSession(sessionId), 'agent')
        },
      }
    },
    matrixOf: (sessionId) => bridges.statusOf(sessionId),
    bridge: async (sessionId, room) => bridges.add(await findSession(sessionId), room),
  }

  return {
    ...chat,
    providers: [createPeopleProvider(chat)],
    providersOf: (session) => [createAgentProvider(chat, session)],
    on: { 'session-ended': ({ session }) => bridges.finish(session) },
    start: () => bridges.start(),
    [Symbol.asyncDispose]: () => bridges[Symbol.asyncDispose](),
  }
}

function inboxText({ id, content, from, replies_to: answered, replaces }: ChatMessage): string {
  const about = [
    ...(answered === undefined ? [] : [`in reply to message ${answered}`]),
    ...(replaces === undefined ? [] : [`in place of message ${replaces}`]),
  ]
  const place = about.length > 0 ? `(message ${id}, ${about.join(', ')}) ` : ''
  return from === undefined ? `${place}${content}` : `${from}: ${place}${content}`
}

function hasEnded(name: string): HubError {
  return new HubError(
    'conflict',
    `The session "${name}" has ended, so its agent reads no messages. resume_session continues its conversation.`,
  )
}
