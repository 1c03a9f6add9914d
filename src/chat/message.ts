/** The interface of the chat, for the rest of the hub and for the files of this folder. */
import type { ChatMessage, ChatSide, ChatView, MatrixStatus } from '../api/chat.ts'
import type { SessionStatus } from '../api/session.ts'
import type { MatrixRoom } from '../api/template.ts'
import type { Feature } from '../feature/feature.ts'

export interface Chat extends Feature, AsyncDisposable {
  /** `session` is a name or an id. Throws if the session has ended or its chat is full. */
  post(session: string, message: NewMessage): Promise<ChatMessage>
  /** Gives a side what it has not read, and moves its read mark, in one transaction. */
  readPending(session: string, side: ChatSide, options: PendingOptions): Promise<Pending>
  /** Everything after a message, of both sides, for people. Moves their read mark. */
  read(session: string, options: ReadOptions): Promise<ChatView>
  /** The newest messages, for a resource. Moves no mark. */
  look(session: string): Promise<ChatView>
  /** Messages that the built-in agent has not read. If the hub dies before `taken`, the next hub gives them again. */
  inboxOf(sessionId: string): Promise<ChatInbox>
  /** Bridges the chat of a new session to a room. Throws if the hub does not have the access token. */
  bridge(sessionId: string, room: MatrixRoom): Promise<void>
  /** `undefined`: the chat is not bridged by this hub. */
  matrixOf(sessionId: string): MatrixStatus | undefined
}

export interface ChatInbox {
  /** Oldest first. */
  readonly messages: readonly { readonly id: string; readonly text: string }[]
  /** From now on they count as read. */
  taken(): Promise<void>
}

export interface NewMessage {
  readonly side: ChatSide
  readonly content: string
  /** Default: text/plain. */
  readonly mime?: string | undefined
  /** The id of the message that it answers. */
  readonly repliesTo?: number | undefined
  /** The correlation of the call that posts the message. */
  readonly correlation?: string | undefined
}

export interface PendingOptions {
  /** Returns all messages after this one, read or not. */
  readonly since?: number | undefined
  readonly limit: number
}

export interface Pending {
  readonly messages: readonly ChatMessage[]
  /** The read mark of this side. */
  readonly readTo: number
  readonly unread: number
}

export interface ReadOptions {
  /** Default: the messages of the agent that no person has read. */
  readonly since?: number | undefined
  readonly limit: number
  /** How long to wait if there is nothing. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** By name or id. Throws if there is no such session. */
export type FindChatSession = (
  nameOrId: string,
) => Promise<{ readonly id: string; readonly name: string; readonly status: SessionStatus }>
