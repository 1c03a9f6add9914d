/** The format in which one provider sends a conversation and its answer. */
import { randomUUID } from 'node:crypto'
import type { Conversation } from './conversation.ts'
import type { Part } from './part.ts'

export interface Dialect {
  readonly path: RegExp
  read(body: Body): Conversation
  wantsStream(body: Body, path: string): boolean
  /** The answer in one piece, if the request did not ask for a stream. */
  whole(parts: readonly Part[]): object
  stream(parts: readonly Part[]): ReplyStream
  failure(status: number, message: string): object
  /** The conversation is too long for the model: the body of a status 400, or the events of an answer that fails. */
  readonly full: object | readonly StreamEvent[]
}

export type Body = Readonly<Record<string, unknown>>

/** The events of an answer in order. */
export interface ReplyStream {
  readonly head: readonly StreamEvent[]
  /** The content, in steps. The events of a step are sent at once. */
  readonly steps: readonly (readonly StreamEvent[])[]
  readonly tail: readonly StreamEvent[]
}

export interface StreamEvent {
  readonly event?: string
  readonly data: object | string
}

/** The tokens that every answer reports, so that a test can add them up. */
export const usage = { input: 100, output: 10, total: 110 }

/** Each delta of a text is a step. A call is one step, however many deltas its arguments have. */
export function stepsOf(
  part: Part,
  deltas: readonly StreamEvent[],
  {
    before = [],
    after = [],
  }: { readonly before?: readonly StreamEvent[]; readonly after?: readonly StreamEvent[] } = {},
): ReplyStream['steps'] {
  if (part.is === 'call') return [[...before, ...deltas, ...after]]
  const last = deltas.length - 1
  return deltas.map((delta, index) => [...(index === 0 ? before : []), delta, ...(index === last ? after : [])])
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
