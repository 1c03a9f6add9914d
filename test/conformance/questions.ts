/** The questions that fixtures ask a client, and the parsers of its answers. */
import { z } from 'zod'
import type { Call, InputRequest } from '../../src/mcp/mcp.ts'

export const ask = {
  form(message: string, properties: Readonly<Record<string, object>>, required: readonly string[] = []): InputRequest {
    const requestedSchema = { type: 'object', properties, ...(required.length > 0 && { required }) }
    return { method: 'elicitation/create', params: { message, requestedSchema } }
  },

  name: (message = 'What is your name?'): InputRequest => ask.form(message, { name: { type: 'string' } }, ['name']),

  model(prompt: string, maxTokens: number): InputRequest {
    const messages = [{ role: 'user', content: { type: 'text', text: prompt } }]
    return { method: 'sampling/createMessage', params: { messages, maxTokens } }
  },

  roots: (): InputRequest => ({ method: 'roots/list', params: {} }),
}

const formAnswer = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).optional(),
})
const modelAnswer = z.object({ content: z.object({ type: z.literal('text'), text: z.string() }) })
const rootsAnswer = z.object({ roots: z.array(z.object({ uri: z.string() })) })

/** Each returns `undefined` if the answer is missing or has the wrong shape. The fixture then asks again. */
export const answered = {
  form: (call: Call, key: string) => formAnswer.safeParse(call.answers[key]).data,

  field(call: Call, key: string, field: string): string | undefined {
    const value = answered.form(call, key)?.content?.[field]
    return typeof value === 'string' ? value : undefined
  },

  model: (call: Call, key: string): string | undefined => modelAnswer.safeParse(call.answers[key]).data?.content.text,

  roots: (call: Call, key: string): readonly string[] | undefined =>
    rootsAnswer.safeParse(call.answers[key]).data?.roots.map((root) => root.uri),
}
