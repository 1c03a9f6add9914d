/** The contents of a chat that Gemini CLI keeps in a file. A line with the id of an earlier one replaces it. */
import { z } from 'zod'

const toolCallSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
  result: z.array(z.looseObject({ functionResponse: z.unknown() })).nullish(),
})
const messageSchema = z.looseObject({
  id: z.string(),
  type: z.enum(['user', 'gemini']),
  content: z.union([z.string(), z.array(z.looseObject({}))]).default(''),
  thoughts: z.array(z.looseObject({ subject: z.string().default(''), description: z.string().default('') })).nullish(),
  toolCalls: z.array(toolCallSchema).nullish(),
})
type ChatMessage = z.output<typeof messageSchema>

export function contentsOfChat(lines: readonly unknown[]): readonly unknown[] {
  const messages = new Map<string, ChatMessage>()
  for (const line of lines) {
    const message = messageSchema.safeParse(line).data
    if (message) messages.set(message.id, message)
  }
  return [...messages.values()].flatMap(contentsOf)
}

function contentsOf({ type, content, thoughts, toolCalls }: ChatMessage): readonly object[] {
  const said = typeof content === 'string' ? (content === '' ? [] : [{ text: content }]) : content
  // The results are in the message of the agent as well.
  const isResult = said.every((part) => 'functionResponse' in part)
  if (type === 'user') return isResult ? [] : [{ role: 'user', parts: said }]
  const thought = (thoughts ?? []).map(({ subject, description }) => ({
    text: [subject, description].filter((text) => text !== '').join('\n'),
    thought: true,
  }))
  const calls = (toolCalls ?? []).map(({ id, name, args }) => ({ functionCall: { id, name, args } }))
  const results = (toolCalls ?? []).flatMap(({ result }) => result ?? [])
  const parts = [...thought, ...said, ...calls]
  return [
    ...(parts.length > 0 ? [{ role: 'model', parts }] : []),
    ...(results.length > 0 ? [{ role: 'user', parts: results }] : []),
  ]
}
