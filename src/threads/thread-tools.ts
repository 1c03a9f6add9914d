/** read_thread, fork_thread, import_thread, export_thread, and the threads as resources. */
import { z } from 'zod'
import type { Thread } from '../api/thread.ts'
import { exportFormats, formatNames, threadSchema } from '../api/thread.ts'
import { isNotFound } from '../base/hub-error.ts'
import type { Provider, Variables } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { toMarkdown } from './markdown.ts'
import { nameIn, subject } from './thread-subject.ts'
import { sessionThreadUri, threadsPrefix } from './thread-uris.ts'
import type { Threads } from './thread.ts'

export interface ThreadToolsOptions {
  readonly threads: Pick<Threads, 'read' | 'fork' | 'importThread' | 'find' | 'entriesOf'>
}

const maxTimeoutMs = 600_000
const mostLimit = 2_000
/** As much as the body of a request holds by default. */
const mostImportedLength = 4_000_000

export function createThreadProvider({ threads }: ThreadToolsOptions): Provider {
  async function readAll(threadOrSession: string, signal: AbortSignal): Promise<Thread> {
    let thread = await threads.read(threadOrSession, { signal })
    while (thread.has_more) {
      const next = await threads.read(thread.thread_id, { since: thread.cursor, signal })
      thread = {
        ...next,
        messages: [...thread.messages, ...next.messages],
        events: [...thread.events, ...next.events],
      }
    }
    return thread
  }

  const tools = [
    defineTool({
      name: 'read_thread',
      description:
        'Reads what an agent said and did: messages, and the same as events. With since, only what is new; with timeout_ms too, waits for it.',
      input: z.strictObject({
        ...subject,
        since: z.string().max(10_000).optional().describe('The cursor of the last read.'),
        timeout_ms: z.int().min(0).max(maxTimeoutMs).default(0),
        limit: z.int().min(1).max(mostLimit).default(500),
      }),
      output: threadSchema,
      annotations: { readOnlyHint: true, openWorldHint: false },
      run: async ({ since, timeout_ms: timeoutMs, limit, ...of }, { signal }) =>
        threads.read(nameIn(of), { since, timeoutMs, limit, signal }),
    }),
    defineTool({
      name: 'fork_thread',
      description: 'Makes a new thread with the same messages, all or up to one of them. The old one stays as it is.',
      input: z.strictObject({
        ...subject,
        at: z.string().max(1_000).optional().describe('The id of the last message to keep.'),
        label: z.string().min(1).max(200).optional(),
      }),
      output: threadSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: async ({ at, label, ...of }) => threads.fork(nameIn(of), { at, label }),
    }),
    defineTool({
      name: 'import_thread',
      description:
        'Makes a new thread from the messages of another provider: a JSON list, a request with such a list, or a file that Codex, Claude Code or Gemini CLI keeps. switch_provider continues it.',
      input: z.strictObject({
        text: z.string().min(1).max(mostImportedLength),
        format: z.enum(formatNames),
        label: z.string().min(1).max(200).optional(),
      }),
      output: threadSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      unrecorded: ['text'],
      run: async ({ text, format, label }) => threads.importThread(text, { format, label }),
    }),
    defineTool({
      name: 'export_thread',
      description:
        'The whole thread as a text: json (version v1), markdown, or the messages in the format of another provider. left_out names what that format cannot hold.',
      input: z.strictObject({ ...subject, format: z.enum(exportFormats).default('json') }),
      output: z.object({
        format: z.enum(exportFormats),
        text: z.string(),
        left_out: z
          .array(z.object({ what: z.string(), where: z.array(z.string()).describe('Ids of messages and events.') }))
          .optional(),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ format, ...of }, { signal }) {
        if (format === 'json' || format === 'markdown') {
          const thread = await readAll(nameIn(of), signal)
          const { cursor: _, has_more: __, ...whole } = thread
          return { format, text: format === 'markdown' ? toMarkdown(thread) : jsonText(whole) }
        }
        const { writeThread } = await import('./formats/formats.ts')
        const { id } = await threads.find(nameIn(of))
        const { messages, leftOut } = writeThread(format, await threads.entriesOf(id))
        return {
          format,
          text: jsonText(messages),
          left_out: leftOut.map(({ what, where }) => ({ what, where: [...where] })),
        }
      },
    }),
  ]

  function template(uriTemplate: string, name: string, description: string, of: (variables: Variables) => string) {
    return {
      uriTemplate,
      name,
      description,
      mimeType: 'application/json',
      async read(uri: string, variables: Variables) {
        try {
          const thread = await readAll(of(variables), AbortSignal.timeout(60_000))
          return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(thread) }] }
        } catch (error) {
          if (isNotFound(error)) return undefined
          throw error
        }
      },
    }
  }

  return {
    toolset: 'agents',
    tools: () => tools,
    resourceTemplates: () => [
      template(sessionThreadUri('{id}'), 'session-thread', 'What its agent said and did.', ({ id }) => String(id)),
      template(`${threadsPrefix}{id}`, 'thread', 'A thread, by its id.', ({ id }) => String(id)),
    ],
  }
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
