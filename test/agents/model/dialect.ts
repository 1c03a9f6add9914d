/** The format in which one provider sends a conversation and its answer. */
import { randomUUID } from 'node:crypto'
import type { Conversation } from './conversation.ts'
import type { Part } from './script.ts'

export interface Dialect {
  readonly path: RegExp
  read(body: Body): Conversation
  /** The answer in one piece, if the request did not ask for a stream. */
  whole(parts: readonly Part[]): object
  /** The events that are sent at once. `rest` are those that follow. */
  head(): readonly StreamEvent[]
  rest(parts: readonly Part[]): Iterable<StreamEvent>
  wantsStream(body: Body, path: string): boolean
}

export type Body = Readonly<Record<string, unknown>>

export interface StreamEvent {
  readonly event?: string
  readonly data: object | string
}

/** Splits text into pieces, as a real model sends it. */
export function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,24}/g) ?? []
}

/** The texts of a content that is a string or a list of parts. */
export function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return (content as readonly { text?: unknown }[]).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
}

/** A new id per answer, because agents treat two answers with one id as parts of one answer. */
export function freshId(kind: string): string {
  return `${kind}_${randomUUID()}`
}
