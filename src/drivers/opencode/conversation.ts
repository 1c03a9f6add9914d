/**
 * One conversation, as entries of its thread. It takes messages and parts, from events or from a list, in any order and
 * more than once, and gives each entry once, when nothing can change it any more.
 *
 * The event for a new message may already say that the message is complete, although its parts follow: opencode sends
 * the state that a message has at the time of sending. So a message counts as complete only once it is settled.
 */
import type { Draft, NewEntry, Usage } from '../../api/thread.ts'
import { addUsage, noUsage } from '../../api/usage.ts'
import { HubError } from '../../base/hub-error.ts'
import { jsonSize } from '../../base/json-size.ts'
import type { FailureKind } from '../port/turn-failure.ts'
import { explainFailure } from '../port/turn-failure.ts'
import type { Assistant, MessageInfo, OpencodeError, Part, ToolPart } from './messages.ts'

export interface Conversation {
  readonly id: string
  /** When its last prompt was given, in milliseconds since 1970. 0: it has none. */
  readonly promptedAt: number
  message(info: MessageInfo): void
  part(part: Part): void
  /** More of a text that is being written. `undefined`: the text is finished, or not known. */
  delta(partId: string, delta: string): Draft | undefined
  /** The messages were read from a list, which has all parts of complete messages. */
  settle(): void
  /**
   * opencode is not working on the conversation. `isOld`: it stopped earlier, so an incomplete answer stays incomplete.
   */
  idle(isOld: boolean): void
  failed(error: OpencodeError): void
  /** The entries that are ready and were not `written` yet, in order. */
  ready(): readonly NewEntry[]
  written(entries: readonly NewEntry[]): void
}

interface Message {
  readonly info: MessageInfo
  readonly parts: Map<string, Part>
}

interface Ending {
  readonly status: 'completed' | 'interrupted' | 'failed'
  readonly reason?: string
}

const mostBytes = 64 * 1024 * 1024
const done: Ending = { status: 'completed' }
const refused: Ending = { status: 'interrupted', reason: 'The agent stopped after a call that was refused.' }
const cutOff: Ending = { status: 'interrupted', reason: 'opencode ended in the middle of the turn.' }

/** Of all conversations of a server, the messages whose turns have not ended. */
export interface KeptMessages {
  bytes: number
}

export function createConversation(id: string, kept: KeptMessages = { bytes: 0 }): Conversation {
  const messages = new Map<string, Message>()
  /** Parts that arrived before their message. */
  const early = new Map<string, Map<string, Part>>()
  /** The ids of messages that have all their parts. */
  const settled = new Set<string>()
  const keys = new Set<string>()
  /** The endings of turns whose last message does not show them, by the id of the prompt. */
  const endings = new Map<string, Ending>()
  let promptedAt = 0
  let bytes = 0

  function weigh(more: number): void {
    bytes += more
    kept.bytes += more
    if (kept.bytes <= mostBytes) return
    throw new HubError('too-large', `its conversations have turns of more than ${mostBytes} bytes that have not ended.`)
  }

  const prompts = () => [...messages.values()].filter(({ info }) => info.role === 'user')
  function answersTo(prompt: string): readonly Assistant[] {
    return [...messages.values()].flatMap(({ info }) =>
      info.role === 'assistant' && info.parentID === prompt && !info.summary ? [info] : [],
    )
  }

  /** The last message of the agent, and its last answer to each prompt. */
  function lastAnswers() {
    const to = new Map<string, Assistant>()
    let last: Assistant | undefined
    for (const { info } of messages.values()) {
      if (info.role === 'user') continue
      last = info
      if (!info.summary) to.set(info.parentID, info)
    }
    return { last, to }
  }

  /** `undefined`: the turn goes on after this message. */
  function endingOf(info: Assistant): Ending | undefined {
    if (info.time.completed === undefined) return endings.get(info.parentID)
    if (info.error) return endingWith(info.error)
    const hasCalled = [...messages.get(info.id)!.parts.values()].some(({ type }) => type === 'tool')
    const isFinal = info.finish !== undefined && !['tool-calls', 'unknown'].includes(info.finish) && !hasCalled
    return isFinal ? done : endings.get(info.parentID)
  }

  function complete(prompt: string, at: number, { status, reason }: Ending, usage: Usage | undefined): NewEntry {
    return {
      key: `complete:${prompt}`,
      at: time(at),
      type: 'complete',
      status,
      ...(reason !== undefined && { reason }),
      ...(usage && { usage }),
    }
  }

  function all(): readonly NewEntry[] {
    const entries: NewEntry[] = []
    const answers = lastAnswers()
    let usage: Usage | undefined
    for (const { info, parts } of messages.values()) {
      if (info.role === 'user') {
        entries.push(...promptEntries(info, parts))
        const ending = answers.to.has(info.id) ? undefined : endings.get(info.id)
        if (ending) entries.push(complete(info.id, info.time.created, ending, undefined))
        continue
      }
      usage = sum(usage, info)
      if (info.summary) continue
      // A message is also settled if the agent has begun another one.
      const isSettled = settled.has(info.id) || answers.last !== info
      entries.push(...answerEntries(info, parts, isSettled))
      const isLast = answers.to.get(info.parentID) === info
      const ending = isSettled && isLast && messages.has(info.parentID) ? endingOf(info) : undefined
      if (!ending) continue
      entries.push(complete(info.parentID, info.time.completed ?? info.time.created, ending, usage))
      usage = undefined
    }
    return entries
  }

  /** Drops messages that the thread has by now. They could be large. */
  function forget(): void {
    const last = prompts().at(-1)
    const isOpen = [...messages.values()].some(({ info }) => info.role === 'assistant' && !info.time.completed)
    if (!last || !keys.has(`complete:${last.info.id}`) || isOpen) return
    messages.clear()
    kept.bytes -= bytes
    bytes = 0
    early.clear()
    endings.clear()
    settled.clear()
  }

  return {
    id,
    get promptedAt() {
      return promptedAt
    },
    message(info) {
      if (info.role === 'user') promptedAt = Math.max(promptedAt, info.time.created)
      // opencode updates prompts also after their turn.
      if (keys.has(`complete:${info.role === 'user' ? info.id : info.parentID}`)) return
      const parts = messages.get(info.id)?.parts ?? early.get(info.id) ?? new Map<string, Part>()
      early.delete(info.id)
      weigh(jsonSize(info) - jsonSize(messages.get(info.id)?.info))
      messages.set(info.id, { info, parts })
    },
    part(part) {
      const parts = messages.get(part.messageID)?.parts ?? early.get(part.messageID) ?? new Map<string, Part>()
      if (!messages.has(part.messageID)) early.set(part.messageID, parts)
      weigh(jsonSize(part) - jsonSize(parts.get(part.id)))
      parts.set(part.id, part)
    },
    delta(partId, delta) {
      for (const { parts } of messages.values()) {
        const part = parts.get(partId)
        if (!part || part.type === 'tool' || part.time?.end !== undefined) continue
        weigh(delta.length)
        const text = part.text + delta
        parts.set(partId, { ...part, text })
        return { key: partId, type: part.type === 'text' ? 'text' : 'thinking', text }
      }
      return undefined
    },
    settle() {
      for (const { info } of messages.values()) {
        if (info.role === 'assistant' && info.time.completed !== undefined) settled.add(info.id)
      }
    },
    idle(isOld) {
      for (const { info } of messages.values()) {
        if (isOld || (info.role === 'assistant' && info.time.completed !== undefined)) settled.add(info.id)
      }
      const prompt = prompts().at(-1)?.info.id
      const last = prompt === undefined ? undefined : answersTo(prompt).at(-1)
      if (prompt === undefined || !last) return
      // Without a time of completion, the end of the message is still to come.
      if (last.time.completed !== undefined) endings.set(prompt, last.finish === 'tool-calls' ? refused : done)
      else if (isOld) endings.set(prompt, cutOff)
    },
    failed(error) {
      const prompt = prompts().at(-1)?.info.id
      if (prompt !== undefined && answersTo(prompt).length === 0) endings.set(prompt, endingWith(error))
    },
    ready: () => all().filter(({ key }) => !keys.has(key)),
    written(entries) {
      for (const { key } of entries) keys.add(key)
      forget()
    },
  }
}

function promptEntries(info: MessageInfo, parts: ReadonlyMap<string, Part>): readonly NewEntry[] {
  return [...parts.values()].flatMap((part): NewEntry[] =>
    part.type === 'text' && !part.synthetic && part.text !== ''
      ? [{ key: part.id, at: time(info.time.created), type: 'prompt', text: part.text }]
      : [],
  )
}

/** A call may start before the text above it is finished. It waits for the text, so that they stay in order. */
function answerEntries(info: Assistant, parts: ReadonlyMap<string, Part>, isSettled: boolean): readonly NewEntry[] {
  const model = `${info.providerID}/${info.modelID}`
  const entries: NewEntry[] = []
  for (const part of parts.values()) {
    if (part.type === 'tool') {
      entries.push(...callEntries(part, model))
    } else if (isSettled || part.time?.end !== undefined) {
      if (part.text === '') continue
      const type = part.type === 'text' ? 'text' : 'thinking'
      entries.push({ key: part.id, at: time(part.time?.start ?? info.time.created), model, type, text: part.text })
    } else break
  }
  return entries
}

function callEntries({ tool: name, callID: callId, state }: ToolPart, model: string): readonly NewEntry[] {
  if (state.status === 'pending') return []
  const { start, end = start } = state.time
  const request: NewEntry = {
    key: `call:${callId}`,
    at: time(start),
    model,
    type: 'tool-request',
    callId,
    name,
    parameters: state.input,
  }
  if (state.status === 'running') return [request]
  const common = { key: `result:${callId}`, at: time(end), type: 'tool-result', callId, name } as const
  return state.status === 'completed'
    ? [request, { ...common, result: state.output }]
    : [request, { ...common, result: state.error, error: state.error }]
}

function endingWith({ name, data }: OpencodeError): Ending {
  if (name === 'MessageAbortedError') return { status: 'interrupted' }
  const { message = name, statusCode } = data ?? {}
  return { status: 'failed', reason: explainFailure(message, remedies, kindOf(name, statusCode)) }
}

const remedies = {
  login: 'run "opencode auth login" for the provider of this model.',
  contextFull: 'type /compact, or begin another conversation.',
}

/** `undefined`: the message of the error may say more. */
function kindOf(name: string, statusCode: number | undefined): FailureKind | undefined {
  if (name === 'ProviderAuthError' || statusCode === 401 || statusCode === 403) return 'login'
  if (name === 'ContextOverflowError') return 'context-full'
  return statusCode === 429 || statusCode === 529 ? 'rate-limit' : undefined
}

function sum(usage: Usage | undefined, { tokens, cost }: Assistant): Usage | undefined {
  if (!tokens) return usage
  const { input, output, reasoning, cache } = tokens
  return addUsage(usage ?? noUsage, {
    input_tokens: input + (cache?.read ?? 0) + (cache?.write ?? 0),
    output_tokens: output + reasoning,
    ...(cost !== undefined && cost > 0 && { cost_usd: cost }),
  })
}

function time(ms: number): string {
  return new Date(ms).toISOString()
}
