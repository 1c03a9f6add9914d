/** Records the replies that the model sent completely, so that a test can compare them with what an agent reports. */
import type { Conversation } from './conversation.ts'
import { fingerprintOf } from './conversation.ts'
import type { Part } from './part.ts'
import { joinText } from './part.ts'

export interface SentConversation {
  /** Its first prompt. Two conversations with the same first prompt are recorded as one. */
  readonly conversation: string
  readonly replies: readonly SentReply[]
}

export interface SentReply {
  readonly thinking?: string
  readonly text?: string
  readonly calls: readonly SentCall[]
}

export interface SentCall {
  readonly id: string
  readonly name: string
  /** The name under which Codex groups the tools of an MCP server. */
  readonly namespace?: string
  readonly arguments: object
}

export interface SentRecord {
  add(conversation: Conversation, parts: readonly Part[]): void
  list(): readonly SentConversation[]
}

export function createSentRecord(): SentRecord {
  // By fingerprint, because a client may ask for the same reply again.
  const sent = new Map<string, Map<string, SentReply>>()
  return {
    add(conversation, parts) {
      const first = (conversation.earlier[0] ?? conversation.prompt).trim()
      const replies = sent.get(first) ?? new Map<string, SentReply>()
      sent.set(first, replies.set(fingerprintOf(conversation), replyOf(parts)))
    },
    list: () => [...sent].map(([conversation, replies]) => ({ conversation, replies: [...replies.values()] })),
  }
}

function replyOf(parts: readonly Part[]): SentReply {
  const thinking = joinText(parts, 'thought')
  const text = joinText(parts, 'text')
  const calls = parts.flatMap((part) =>
    part.is === 'call' ? [{ id: part.id, ...part.tool, arguments: part.input }] : [],
  )
  return { ...(thinking !== '' && { thinking }), ...(text !== '' && { text }), calls }
}
