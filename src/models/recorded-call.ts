/** Records a call of a model: one event before it is sent, and one with its outcome. */
import type { EventPayload, EventPlace } from '../api/event.ts'
import { messageOf } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import type { AnswerPart, ChosenModel, ModelMessage } from './model.ts'
import type { SdkRequest } from './sdk.ts'

export interface RecordedCall {
  end(outcome: Omit<EventPayload<'model-answered'>, 'model' | 'ms'>): void
}

/** The newest messages say what the call is about. The older ones are in the record of earlier calls and in the thread. */
const mostCharacters = 12_000

/** Resolves when the event is committed: only then may the call be sent. */
export async function recordCall(
  events: Pick<EventLog, 'append' | 'appendLater'>,
  { place, chosen, request }: { place: EventPlace; chosen: ChosenModel; request: SdkRequest },
): Promise<RecordedCall> {
  const common: EventPlace = { route: chosen.provider, ...place, provider: chosen.provider }
  const startedAt = performance.now()
  const { id: parent } = await events.append({
    ...common,
    type: 'model-called',
    payload: { model: chosen.model, request: shortRequest(request) },
  })
  return {
    end(outcome) {
      const ms = Math.round(performance.now() - startedAt)
      events.appendLater({
        ...common,
        type: 'model-answered',
        parent,
        payload: { model: chosen.model, ms, ...outcome },
      })
    },
  }
}

export function shortResponse(parts: readonly AnswerPart[]): Readonly<Record<string, unknown>> {
  const texts = (type: 'text' | 'thinking') =>
    parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('\n')
  const [text, thinking] = [texts('text'), texts('thinking')]
  const calls = parts.flatMap((part) =>
    part.type === 'call' ? [{ id: part.id, name: part.name, input: part.input }] : [],
  )
  return {
    ...(text !== '' && { text }),
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** A provider's error has the whole request in it, so only its useful parts are kept. */
export function shortError(error: unknown): unknown {
  const { statusCode, responseBody } = error as { statusCode?: unknown; responseBody?: unknown }
  return {
    message: messageOf(error),
    ...(statusCode !== undefined && { status: statusCode }),
    ...(typeof responseBody === 'string' && responseBody !== '' && { body: responseBody.slice(0, 2_000) }),
  }
}

function shortRequest({ system, messages, tools, search }: SdkRequest): Readonly<Record<string, unknown>> {
  let left = mostCharacters
  const newest: unknown[] = []
  for (const message of messages.toReversed()) {
    const short = shortMessage(message)
    left -= JSON.stringify(short).length
    if (left < 0 && newest.length > 0) break
    newest.unshift(short)
  }
  return {
    ...(system !== undefined && { system }),
    ...(newest.length < messages.length && { earlier_messages: messages.length - newest.length }),
    messages: newest,
    ...(tools.length > 0 && { tools: tools.map(({ name }) => name) }),
    ...(search && { search }),
  }
}

function shortMessage(message: ModelMessage): unknown {
  return message.role === 'assistant' ? { role: message.role, ...shortResponse(message.parts) } : message
}
