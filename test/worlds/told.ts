/** Reads a request to a provider in any format, in the words of the hub. */
import type { FormatName, NewEntry } from '../../src/api/thread.ts'
import { readThread } from '../../src/threads/formats/formats.ts'
import type { ModelRequest } from './recorded-model.ts'

const formats: Readonly<Record<ModelRequest['provider'], FormatName>> = {
  openai: 'openai-responses',
  'openai-chat': 'openai-chat',
  anthropic: 'anthropic',
  google: 'gemini',
}

export function toldIn({ provider, messages }: ModelRequest): readonly NewEntry[] {
  return readThread(formats[provider], JSON.stringify(messages), '')
}

/** The calls whose results the request holds too, as `name: result`. */
export function callsIn(request: ModelRequest): readonly string[] {
  const told = toldIn(request)
  return told.flatMap((entry) => {
    if (entry.type !== 'tool-request') return []
    const result = told.find((other) => other.type === 'tool-result' && other.callId === entry.callId)
    return result?.type === 'tool-result' ? [`${entry.name} ${JSON.stringify(result.error ?? result.result)}`] : []
  })
}
