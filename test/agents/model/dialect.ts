/** How one provider's wire says a conversation and its answer. */
import { randomUUID } from 'node:crypto'
import type { Conversation } from './conversation.ts'
import type { Part } from './script.ts'

export interface Dialect {
  readonly path: RegExp
  read(body: Body): Conversation
  /** The answer in one piece, where the request did not ask for a stream. */
  whole(parts: readonly Part[]): object
  /** What is sent at once, and what follows. */
  head(): readonly StreamEvent[]
  rest(parts: readonly Part[]): Iterable<StreamEvent>
  wantsStream(body: Body, path: string): boolean
}

export type Body = Readonly<Record<string, unknown>>

export interface StreamEvent {
  readonly event?: string
  readonly data: object | string
}

/** Text comes in pieces, as from a real model. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,24}/g) ?? []
}

/** The texts of a content that is a string or a list of parts. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return (content as readonly { text?: unknown }[]).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
}

/** The agents take two answers of one id for parts of one answer. */
export function freshId(kind: string): string {
  return `${kind}_${randomUUID()}`
}
