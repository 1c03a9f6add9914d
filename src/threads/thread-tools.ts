/** read_thread, fork_thread, export_thread, and the threads as resources. */
import { z } from 'zod'
import type { Thread } from '../api/thread.ts'
import { threadSchema } from '../api/thread.ts'
import { HubError, isNotFound } from '../base/hub-error.ts'
import type { Provider, Variables } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { toMarkdown } from './markdown.ts'
import { sessionThreadUri, threadsPrefix } from './thread-uris.ts'
import type { Threads } from './thread.ts'

export interface ThreadToolsOptions {
  readonly threads: Pick<Threads, 'read' | 'fork'>
}

const subject = {
  session: z.string().min(1).max(200).optional().describe('Name or id: its newest thread.'),
  thread: z.string().min(1).max(200).optional().describe('The id of a thread, instead of a session.'),
}
const maxTimeoutMs = 600_000
const mostLimit = 2_000

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
      name: 'export_thread',
      description: 'The whole thread as a text: json (version v1) or markdown.',
      input: z.strictObject({ ...subject, format: z.enum(['json', 'markdown']).default('json') }),
      output: z.object({ format: z.enum(['json', 'markdown']), text: z.string() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ format, ...of }, { signal }) {
        const thread = await readAll(nameIn(of), signal)
        const { cursor: _, has_more: __, ...whole } = thread
        return { format, text: format === 'markdown' ? toMarkdown(thread) : `${JSON.stringify(whole, null, 2)}\n` }
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

function nameIn({ session, thread }: { readonly session?: string | undefined; readonly thread?: string | undefined }) {
  const name = thread ?? session
  if (name !== undefined && (thread === undefined || session === undefined)) return name
  throw new HubError('invalid', 'Give "session", the name of a session, or "thread", the id of a thread.')
}
