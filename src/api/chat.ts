/** The chat between the people and the agent of a session. */
import { z } from 'zod'

export const chatSides = ['person', 'agent'] as const
export type ChatSide = (typeof chatSides)[number]

/** As long as the largest event of Matrix, so that every message from there fits. */
export const maxMessageBytes = 64 * 1024

export const chatMessageSchema = z.object({
  id: z.int().describe('Ids only grow. The first message is 1.'),
  side: z.enum(chatSides),
  from: z.string().optional().describe('Who wrote it, if it came from a Matrix room.'),
  at: z.string(),
  mime: z.string(),
  content: z.string(),
  replies_to: z.int().optional().describe('The message that it answers.'),
  replaces: z.int().optional().describe('The message that it corrects, which is no longer listed.'),
  removes: z.int().optional().describe('The message that was removed after the agent had read it.'),
})
export type ChatMessage = z.output<typeof chatMessageSchema>

const matrixStates = ['connecting', 'connected', 'failed'] as const

/** The room that a chat is bridged to. */
export const matrixStatusSchema = z.object({
  room: z.string(),
  is: z.enum(matrixStates),
  reason: z.string().optional(),
  speakers: z.array(z.string()).describe('The users who may speak. Empty: not known yet.'),
})
export type MatrixStatus = z.output<typeof matrixStatusSchema>

export const chatSchema = z.object({
  session: z.string(),
  messages: z.array(chatMessageSchema).describe('Oldest first.'),
  head: z.int().describe('The id of the newest message; 0: there is none.'),
  read: z
    .object({ person: z.int(), agent: z.int() })
    .describe('The read mark of each side: it was given the messages up to this id.'),
  unread: z.int().describe('Messages of the agent that are still unread.'),
  has_more: z.boolean(),
  matrix: matrixStatusSchema.optional().describe('The room that the chat is bridged to.'),
})
export type ChatView = z.output<typeof chatSchema>

const mimePattern = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/

/** The arguments of a post, the same on both sides. */
export const postArguments = {
  content: z
    .string()
    .refine((text) => text.trim() !== '', 'write a message that is not empty')
    .refine(
      (text) => new TextEncoder().encode(text).length <= maxMessageBytes,
      `a message has at most ${maxMessageBytes / 1024} KiB; send it in parts, or as a file of the workspace`,
    ),
  mime: z
    .string()
    .refine((text) => text.length <= 100 && mimePattern.test(text), 'write a media type, such as "text/markdown"')
    .optional(),
  replies_to: z.int().optional(),
}
