/** Reads the hub's answer to a request, as JSON or as a stream, and forwards it. */
import type { IncomingMessage } from 'node:http'
import { eventsIn } from '../../base/event-stream.ts'
import type { Answer, Id } from './message.ts'
import { readAnswers } from './message.ts'
import type { Output } from './output.ts'
import { unavailableError } from './output.ts'

export type HubAnswer =
  | { readonly is: 'text'; readonly status: number; readonly text: string }
  | { readonly is: 'events'; readonly body: AsyncIterable<Uint8Array> }

export async function readAnswer(response: IncomingMessage): Promise<HubAnswer> {
  const { statusCode: status = 0, headers } = response
  if (status === 200 && headers['content-type']?.startsWith('text/event-stream')) {
    return { is: 'events', body: response }
  }
  return { is: 'text', status, text: Buffer.concat(await response.toArray()).toString('utf8') }
}

export interface Forwarded {
  /** Requests that are not answered yet. */
  readonly missing: readonly Id[]
  /** Where a broken stream can be resumed, and when. */
  readonly lastEventId?: string | undefined
  readonly retryMs?: number | undefined
}

/** Calls `onAnswer` with each response before it is forwarded. */
export async function forwardAnswer(
  answer: HubAnswer,
  ids: readonly Id[],
  output: Output,
  onAnswer: (answer: Answer) => void = () => {},
): Promise<Forwarded> {
  const missing = new Set(ids)
  async function write(text: string): Promise<void> {
    for (const response of readAnswers(text)) {
      onAnswer(response)
      if (response.id !== null) missing.delete(response.id)
    }
    await output.write(text)
  }

  if (answer.is === 'events') {
    const position = await forwardEvents(answer.body, write)
    return { missing: [...missing], ...position }
  }
  const answers = readAnswers(answer.text)
  if (answers.some(({ id }) => id !== null && missing.has(id))) await write(answer.text)
  else if (answer.status >= 400) {
    // The hub refused the request before it read the id, so the answer has none.
    const refusal = answers[0]?.error ?? unavailableError(`The hub answered with HTTP ${answer.status}.`)
    await output.fail(ids, refusal)
    missing.clear()
  }
  return { missing: [...missing] }
}

async function forwardEvents(body: AsyncIterable<Uint8Array>, write: (text: string) => Promise<void>) {
  let lastEventId: string | undefined
  let retryMs: number | undefined
  try {
    for await (const { id, data } of eventsIn(body, (ms) => (retryMs = ms))) {
      lastEventId = id ?? lastEventId
      if (data !== '') await write(data)
    }
  } catch {
    // The stream broke off. The caller sees that in `missing`.
  }
  return { lastEventId, retryMs }
}
