import type { RequestStateCodec } from '@modelcontextprotocol/server'

export type StateCodec = RequestStateCodec<Record<string, unknown>>

export function text(words: string) {
  return { content: [{ type: 'text' as const, text: words }] }
}

export function user<Content>(content: Content) {
  return { role: 'user' as const, content }
}

export function says(words: string) {
  return { messages: [user({ type: 'text' as const, text: words })] }
}
