/** The entries of a thread as messages for a model. They may come from any agent or provider. Pure. */
import type { NewEntry } from '../../api/thread.ts'
import type { AnswerPart, ModelMessage } from '../../models/models.ts'

/** Data that only the provider of this turn understands, by the key of its entry. */
export type Seals = ReadonlyMap<string, AnswerPart['seal']>

const noResult = 'There is no result: the call was cut off. Its outcome is unknown, so check before you repeat it.'

/** Every call is followed by its result, in the order of the calls, as all providers demand. */
export function toModelMessages(entries: readonly NewEntry[], seals: Seals = new Map()): ModelMessage[] {
  const results = new Map(
    entries.flatMap((entry) => (entry.type === 'tool-result' ? [[entry.callId, entry] as const] : [])),
  )
  const messages: ModelMessage[] = []
  let parts: AnswerPart[] = []
  let hasResults = false

  function endAnswer(): void {
    const answer = parts
    parts = []
    hasResults = false
    if (answer.length === 0) return
    messages.push({ role: 'assistant', parts: answer })
    for (const part of answer) if (part.type === 'call') messages.push(resultOf(part, results.get(part.id)))
  }

  for (const entry of entries) {
    const seal = seals.get(entry.key)
    const sealed = seal && { seal }
    switch (entry.type) {
      case 'prompt':
        endAnswer()
        messages.push({ role: 'user', text: entry.text })
        break
      case 'text':
        if (hasResults) endAnswer()
        parts.push({ type: 'text', text: entry.text, ...sealed })
        break
      case 'thinking':
        if (hasResults) endAnswer()
        // A provider accepts the thoughts of its own model only.
        if (seal) parts.push({ type: 'thinking', text: entry.text, seal })
        break
      case 'tool-request': {
        if (hasResults) endAnswer()
        const { callId: id, name, parameters } = entry
        parts.push({ type: 'call', id, name: plainName(name), input: JSON.stringify(parameters), ...sealed })
        break
      }
      case 'tool-result':
        hasResults = true
        break
      case 'complete':
      case 'error':
        endAnswer()
    }
  }
  endAnswer()
  return messages
}

function resultOf(
  { id: callId, name }: { id: string; name: string },
  entry: Extract<NewEntry, { type: 'tool-result' }> | undefined,
): ModelMessage {
  if (!entry) return { role: 'tool', callId, name, text: noResult, isError: true }
  const { result, error } = entry
  const text = error ?? (typeof result === 'string' ? result : JSON.stringify(result))
  return { role: 'tool', callId, name, text, isError: error !== undefined }
}

/** Agents have prefixes of their own for the tools of the hub, and names that not every provider accepts. */
function plainName(name: string): string {
  return (
    name
      .replace(/^mcp__signalbox__/, '')
      .replaceAll(/[^A-Za-z0-9_-]/g, '_')
      .slice(0, 64) || 'tool'
  )
}
