/**
 * The `chat` mount of an agent, and its chat as a resource. These definitions are part of every request that the agent
 * sends to its model, so they are short.
 */
import { z } from 'zod'
import { chatMessageSchema, postArguments } from '../api/chat.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { ownChatUri } from './chat-uris.ts'
import type { Chat } from './message.ts'

const mostLimit = 1_000
const mimeType = 'application/json'
/** A check instead of limits in the schema, which every request to the model would repeat. */
const isLimit = (limit: number) => limit >= 1 && limit <= mostLimit

export function createAgentProvider(chat: Pick<Chat, 'post' | 'readPending' | 'look'>, sessionId: string): Provider {
  const tools = [
    defineTool({
      name: 'chat_post',
      description: 'Posts a message to the people of this session.',
      input: z.strictObject(postArguments),
      output: z.object({ id: z.int() }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
      unrecorded: ['content'],
      async run({ content, mime, replies_to: repliesTo }, { correlation }) {
        const { id } = await chat.post(sessionId, { side: 'agent', content, mime, repliesTo, correlation })
        return { id }
      },
    }),
    defineTool({
      name: 'chat_read_pending_messages',
      description: 'The messages of people that you have not read. They then count as read.',
      input: z.strictObject({
        limit: z.int().refine(isLimit, `give a number from 1 to ${mostLimit}`).default(100),
        since: z.int().optional().describe('Again those after this id.'),
      }),
      output: z.object({
        messages: z.array(chatMessageSchema.omit({ side: true })),
        last_id: z.int(),
        unread: z.int(),
      }),
      // It only moves the agent's own read mark. Agents that run unattended call only tools that are marked as reading.
      annotations: { readOnlyHint: true, openWorldHint: false },
      async run({ limit, since }) {
        const { messages, readTo, unread } = await chat.readPending(sessionId, 'agent', { limit, since })
        return { messages: messages.map(({ side: _, ...message }) => message), last_id: readTo, unread }
      },
    }),
  ]
  const own = {
    uri: ownChatUri,
    name: 'chat',
    description: 'The newest messages of the chat of this session. Changes when people write.',
    mimeType,
    async read() {
      const { messages, head, read } = await chat.look(sessionId)
      const text = JSON.stringify({ messages, head, last_read: read.agent })
      return { contents: [{ uri: ownChatUri, mimeType, text }] }
    },
  }
  return { toolset: 'agents', tools: () => tools, resources: () => [own] }
}
