/**
 * Turns messages of Claude Code into entries of the thread. The state between lines is stored with the place up to
 * which the lines were read, so a hub that continues there writes the same keys.
 */
import { z } from 'zod'
import type { NewEntry, Usage } from '../../api/thread.ts'
import type { AssistantLine, Block, TokenUsage, UserLine } from './recorded-line.ts'
import { isOfSubagent } from './recorded-line.ts'

const countSchema = z.object({ input_tokens: z.number(), output_tokens: z.number() })

export const readingSchema = z.object({
  /** The message whose blocks were read last, and how many of them. */
  message: z.object({ id: z.string(), blocks: z.number(), usage: countSchema }).optional(),
  /** The tools of calls without a result yet, by call. */
  calls: z.record(z.string(), z.string()),
  /** The tokens of the turn, without those of `message`. */
  used: countSchema,
})
export type Reading = z.output<typeof readingSchema>

const nothing = { input_tokens: 0, output_tokens: 0 }
export const newReading: Reading = { calls: {}, used: nothing }

export interface Read {
  readonly reading: Reading
  readonly entries: readonly NewEntry[]
}

/** The key of a text or a thought while it is streamed, and when it is complete. */
export function blockKey(message: string, index: number): string {
  return `${message}:${index}`
}

export function readAssistant(line: AssistantLine, before: Reading): Read {
  if (isOfSubagent(line)) return { reading: before, entries: [] }
  const { message, timestamp } = line
  const at = timestamp ?? new Date().toISOString()
  const isNew = before.message?.id !== message.id
  const first = isNew ? 0 : before.message!.blocks
  const calls = { ...before.calls }
  const entries = message.content.flatMap((block, offset): readonly NewEntry[] => {
    const place = { key: blockKey(message.id, first + offset), at, model: message.model }
    if (isFailure(line)) return [{ type: 'error', ...place, message: block.text ?? 'The model could not be reached.' }]
    if (block.type === 'text' && block.text !== undefined) return [{ type: 'text', ...place, text: block.text }]
    if (block.type === 'thinking' && block.thinking) return [{ type: 'thinking', ...place, text: block.thinking }]
    if (block.type !== 'tool_use' || block.id === undefined) return []
    const { id, name = '', input = {} } = block
    calls[id] = name
    forgetFirst(calls)
    return [{ type: 'tool-request', ...place, key: `call:${id}`, callId: id, name, parameters: input }]
  })
  const usage = message.usage ? countOf(message.usage) : nothing
  return {
    entries,
    reading: {
      calls,
      message: { id: message.id, blocks: first + message.content.length, usage },
      // The lines of one message repeat its tokens.
      used: isNew ? turnUsage(before) : before.used,
    },
  }
}

/** The results of some calls never come, and the state is stored with each message. */
const mostCalls = 1_000

function forgetFirst(calls: Record<string, string>): void {
  const ids = Object.keys(calls)
  for (const id of ids.slice(0, Math.max(0, ids.length - mostCalls))) delete calls[id]
}

/** Claude Code names the message of a failure "<synthetic>". */
function isFailure({ error, isApiErrorMessage = false, message }: AssistantLine): boolean {
  return isApiErrorMessage || (typeof error === 'string' && message.model === '<synthetic>')
}

export function readUser(line: UserLine, before: Reading): Read {
  if (isOfSubagent(line) || line.isMeta || line.isCompactSummary) return { reading: before, entries: [] }
  const { content } = line.message
  const at = line.timestamp ?? new Date().toISOString()
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const calls = { ...before.calls }
  const results = blocks.flatMap((block): readonly NewEntry[] => {
    const { type, tool_use_id: id } = block
    if (type !== 'tool_result' || id === undefined) return []
    const { [id]: name = '' } = calls
    delete calls[id]
    return [{ type: 'tool-result', key: `result:${id}`, at, callId: id, name, ...resultOf(block) }]
  })
  const said = blocks.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join('\n')
  const isPrompt = said !== '' && !isNote(said)
  return {
    reading: { ...before, calls },
    entries: [...results, ...(isPrompt ? [{ type: 'prompt', key: line.uuid, at, text: said } as const] : [])],
  }
}

/** Lines that Claude Code adds in the name of the person, such as the output of its own commands. */
function isNote(text: string): boolean {
  return /^\s*(\[Request interrupted by user|<(local-command|command|bash|task|system)-)/.test(text)
}

export function isInterruption({ message: { content } }: UserLine): boolean {
  const texts = typeof content === 'string' ? [content] : content.map(({ text = '' }) => text)
  return texts.some((text) => text.startsWith('[Request interrupted by user'))
}

function resultOf({ content, is_error: isError }: Block): { readonly result: unknown; readonly error?: string } {
  const result = Array.isArray(content) ? content.map(withoutData) : (content ?? null)
  return isError === true ? { result, error: textOf(result) } : { result }
}

/** Pictures and documents would fill the thread. */
function withoutData(block: unknown): unknown {
  if (typeof block !== 'object' || block === null || !('source' in block)) return block
  const { source, ...rest } = block
  const { data: _, ...kept } = source as { readonly data?: unknown }
  return { ...rest, source: kept }
}

function textOf(result: unknown): string {
  if (typeof result === 'string') return result
  if (!Array.isArray(result)) return JSON.stringify(result)
  return result.map((block: { readonly text?: string }) => block.text ?? JSON.stringify(block)).join('\n')
}

/** The tokens since the last turn ended. */
export function turnUsage({ used, message }: Reading): Usage {
  return {
    input_tokens: used.input_tokens + (message?.usage.input_tokens ?? 0),
    output_tokens: used.output_tokens + (message?.usage.output_tokens ?? 0),
  }
}

/** After the end of a turn. */
export function nextTurn({ calls, message }: Reading): Reading {
  return { calls, used: nothing, ...(message && { message: { ...message, usage: nothing } }) }
}

/** Tokens from the cache are input too. */
export function countOf(usage: TokenUsage): typeof nothing {
  const { input_tokens: input, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage
  return { input_tokens: input + (written ?? 0) + (read ?? 0), output_tokens: usage.output_tokens }
}
