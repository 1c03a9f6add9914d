/** post_chat, read_chat, and `resource://sessions/{id}/chat`: the side of people. */
import { z } from 'zod'
import { chatSchema, postArguments } from '../api/chat.ts'
import { isNotFound } from '../base/hub-error.ts'
import type { Provider, Variables } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { sessionChatUri } from './chat-uris.ts'
import type { Chat } from './message.ts'

const session = z.string().min(1).max(200).describe('Name or id.')
const maxTimeoutMs = 600_000
const mostLimit = 1_000
const mimeType = 'application/json'

export function createPeopleProvider(chat: Pick<Chat, 'post' | 'read' | 'look'>): Provider {
  const tools = [
    defineTool({
      name: 'post_chat',
      description:
        'Leaves a message for the agent of a session. It reads it when it looks at its chat, so it need not be running a turn.',
      input: z.strictObject({ session, ...postArguments }),
      output: z.object({ id: z.int(), at: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      unrecorded: ['content'],
      async run({ session: name, content, mime, replies_to: repliesTo }, { correlation }) {
        const { id, at } = await chat.post(name, { side: 'person', content, mime, repliesTo, correlation })
        return { id, at }
      },
    }),
    defineTool({
      name: 'read_chat',
      description:
        'Reads what the agent of a session wrote in its chat and no person has read yet; with since, all messages after that id, of both sides. Both move the read mark of people.',
      input: z.strictObject({
        session,
        since: z.int().min(0).optional().describe('The id of the last message you have; 0: from the beginning.'),
        limit: z.int().min(1).max(mostLimit).default(200),
        timeout_ms: z.int().min(0).max(maxTimeoutMs).default(0).describe('How long to wait if there is nothing.'),
      }),
      output: chatSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      run: ({ session: name, since, limit, timeout_ms: timeoutMs }, { signal }) =>
        chat.read(name, { since, limit, timeoutMs, signal }),
    }),
  ]

  return {
    toolset: 'agents',
    tools: () => tools,
    resourceTemplates: () => [
      {
        uriTemplate: sessionChatUri('{id}'),
        name: 'session-chat',
        description: 'The newest messages of its chat, and the read mark of each side. Reading it moves no mark.',
        mimeType,
        async read(uri: string, { id }: Variables) {
          try {
            return { contents: [{ uri, mimeType, text: JSON.stringify(await chat.look(String(id))) }] }
          } catch (error) {
            if (isNotFound(error)) return undefined
            throw error
          }
        },
      },
    ],
  }
}
