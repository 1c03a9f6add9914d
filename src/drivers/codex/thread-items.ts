/** The items of a Codex thread, as its app-server sends them, and the entries that they become in the hub's threads. */
import { z } from 'zod'
import type { NewEntry } from '../../api/thread.ts'
import { agentId } from '../port/agent-id.ts'
import { unwrapShell } from './unwrap-shell.ts'

const times = { startedAtMs: z.number().nullish(), completedAtMs: z.number().nullish() }
const place = { id: agentId, ...times }

const fileChange = z.object({
  path: z.string(),
  kind: z.object({ type: z.enum(['add', 'delete', 'update']), move_path: z.string().nullish() }),
  diff: z.string(),
})
export type FileChange = z.output<typeof fileChange>

export const itemSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('userMessage'),
    ...place,
    content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  }),
  z.object({ type: z.literal('agentMessage'), ...place, text: z.string() }),
  z.object({ type: z.literal('plan'), ...place, text: z.string() }),
  z.object({
    type: z.literal('reasoning'),
    ...place,
    summary: z.array(z.string()),
    content: z.array(z.string()),
  }),
  z.object({
    type: z.literal('commandExecution'),
    ...place,
    command: z.string(),
    cwd: z.string(),
    status: z.string(),
    aggregatedOutput: z.string().nullish(),
    exitCode: z.number().nullish(),
  }),
  z.object({ type: z.literal('fileChange'), ...place, changes: z.array(fileChange), status: z.string() }),
  z.object({
    type: z.literal('mcpToolCall'),
    ...place,
    server: z.string(),
    tool: z.string(),
    status: z.string(),
    arguments: z.unknown().optional(),
    result: z.looseObject({ content: z.unknown().optional(), structuredContent: z.unknown().optional() }).nullish(),
    error: z.object({ message: z.string() }).nullish(),
  }),
  z.object({ type: z.literal('webSearch'), ...place, query: z.string().nullish() }),
  z.object({ type: z.literal('imageView'), ...place, path: z.string() }),
  z.object({
    type: z.literal('collabAgentToolCall'),
    ...place,
    tool: z.string(),
    status: z.string(),
    prompt: z.string().nullish(),
  }),
])
export type ThreadItem = z.output<typeof itemSchema>

/** `undefined`: an item of a kind that does not belong in a thread, or that this hub does not know. */
export function readItem(value: unknown): ThreadItem | undefined {
  return itemSchema.safeParse(value).data
}

/** The entries of an item that begins: a tool call is shown while it runs, everything else when it is complete. */
export function entriesOfStarted(item: ThreadItem): readonly NewEntry[] {
  const call = toolCallOf(item)
  return call ? [requestEntry(item, call)] : []
}

export function entriesOfCompleted(item: ThreadItem): readonly NewEntry[] {
  const at = timeOf(item.completedAtMs)
  switch (item.type) {
    case 'userMessage':
      return [{ type: 'prompt', key: item.id, at, text: item.content.flatMap(({ text }) => text ?? []).join('\n') }]
    case 'agentMessage':
    case 'plan':
      return item.text === '' ? [] : [{ type: 'text', key: item.id, at, text: item.text }]
    case 'reasoning': {
      const text = [...item.summary, ...item.content].join('\n\n')
      return text === '' ? [] : [{ type: 'thinking', key: item.id, at, text }]
    }
    default: {
      const call = toolCallOf(item)
      if (!call) return []
      const { name, result, error } = call
      const entry: NewEntry = { type: 'tool-result', key: `result:${item.id}`, at, callId: item.id, name, result }
      return [requestEntry(item, call), error === undefined ? entry : { ...entry, error }]
    }
  }
}

export interface ToolCall {
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: string | undefined
}

/** `undefined`: the item is not a tool call. */
export function toolCallOf(item: ThreadItem): ToolCall | undefined {
  switch (item.type) {
    case 'commandExecution': {
      const { command, cwd, status, aggregatedOutput: output, exitCode } = item
      const result = { output: output ?? '', ...(exitCode != null && { exit_code: exitCode }) }
      const error = status === 'declined' ? declined : exitCode ? `It ended with exit code ${exitCode}.` : undefined
      return { name: 'exec_command', parameters: { command: unwrapShell(command), cwd }, result, error }
    }
    case 'fileChange': {
      const { changes, status } = item
      const error =
        status === 'declined' ? declined : status === 'failed' ? 'The patch could not be applied.' : undefined
      return { name: 'apply_patch', parameters: { changes: changes.map(shownChange) }, result: { status }, error }
    }
    case 'mcpToolCall': {
      const { server, tool, arguments: parameters, result, error } = item
      return {
        name: `mcp__${server}__${tool}`,
        parameters: isObject(parameters) ? parameters : {},
        result: result?.structuredContent ?? result?.content ?? {},
        error: error?.message ?? (item.status === 'failed' ? 'The tool failed.' : undefined),
      }
    }
    case 'webSearch':
      return { name: 'web_search', parameters: { query: item.query ?? '' }, result: {} }
    case 'imageView':
      return { name: 'view_image', parameters: { path: item.path }, result: {} }
    case 'collabAgentToolCall': {
      const { tool, status, prompt } = item
      return {
        name: tool,
        parameters: prompt == null ? {} : { prompt },
        result: { status },
        error: status === 'failed' ? 'The agent failed.' : undefined,
      }
    }
    default:
      return undefined
  }
}

const declined = 'It was refused and has not run.'

function requestEntry(item: ThreadItem, { name, parameters }: ToolCall): NewEntry {
  const at = timeOf(item.startedAtMs)
  return { type: 'tool-request', key: `call:${item.id}`, at, callId: item.id, name, parameters }
}

function shownChange({ path, kind, diff }: FileChange) {
  return { path, kind: kind.type, ...(kind.move_path != null && { move_path: kind.move_path }), diff }
}

function timeOf(ms: number | null | undefined): string {
  return new Date(ms ?? Date.now()).toISOString()
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
