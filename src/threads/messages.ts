/** The entries of a thread as messages, so that any provider can continue the conversation. */
import type { Message, ThreadEntry } from '../api/thread.ts'

/**
 * Tool calls and their results are messages. Consecutive entries of the agent are one message. `agent`: who answers,
 * where an entry does not say it.
 */
export function toMessages(entries: readonly ThreadEntry[], agent: string): Message[] {
  const messages: Message[] = []

  /** Continues the agent's last message, unless it has already called tools: text after a call is a new message. */
  function ofAgent({ key, at, model, provider = agent }: ThreadEntry, isText: boolean): Message {
    const last = messages.at(-1)
    const isSame = last?.role === 'assistant' && last.model === model && last.provider === provider
    if (isSame && !(isText && last.tool_calls)) return last
    const message: Message = {
      id: key,
      role: 'assistant',
      at,
      provider,
      ...(model !== undefined && { model }),
      content: [],
    }
    messages.push(message)
    return message
  }

  for (const entry of entries) {
    const { key, at } = entry
    switch (entry.type) {
      case 'prompt':
        messages.push({ id: key, role: 'user', at, content: [{ type: 'text', text: entry.text }] })
        break
      case 'text':
      case 'thinking':
        ofAgent(entry, true).content.push({ type: entry.type, text: entry.text })
        break
      case 'tool-request': {
        const message = ofAgent(entry, false)
        message.tool_calls = [
          ...(message.tool_calls ?? []),
          { id: entry.callId, name: entry.name, arguments: entry.parameters },
        ]
        break
      }
      case 'tool-result':
        messages.push({
          id: key,
          role: 'tool',
          at,
          tool_call_id: entry.callId,
          content: [{ type: 'text', text: entry.error ?? textOf(entry.result) }],
          ...(entry.error !== undefined && { is_error: true }),
        })
        break
      case 'complete':
      case 'error':
        break
    }
  }
  return messages
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result ?? null)
}
