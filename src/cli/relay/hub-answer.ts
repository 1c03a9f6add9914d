/** What the hub answers to a request, whatever its HTTP answer is made of, and how it is passed on. */
import type { IncomingMessage } from 'node:http'
import type { ServerEvent } from './event-stream.ts'
import { readEvents } from './event-stream.ts'
import type { Answer, Id } from './message.ts'
import { readAnswers } from './message.ts'
import type { Output } from './output.ts'
import { unavailableError } from './output.ts'

export type HubAnswer =
  | { readonly is: 'text'; readonly status: number; readonly text: string }
  | { readonly is: 'events'; readonly events: AsyncIterable<ServerEvent> }

export async function readAnswer(response: IncomingMessage): Promise<HubAnswer> {
  const { statusCode: status = 0, headers } = response
  if (status === 200 && headers['content-type']?.startsWith('text/event-stream')) {
    return { is: 'events', events: readEvents(response) }
  }
  return { is: 'text', status, text: Buffer.concat(await response.toArray()).toString('utf8') }
}

export interface Passed {
  /** Requests that are not answered yet. */
  readonly missing: readonly Id[]
  /** Where a stream that broke off can be gone on with, and when. */
  readonly lastEventId?: string | undefined
  readonly retryMs?: number | undefined
}

/** `onAnswer` hears of each response before it is passed on. */
export async function passOn(
  answer: HubAnswer,
  ids: readonly Id[],
  output: Output,
  onAnswer: (answer: Answer) => void = () => {},
): Promise<Passed> {
  const missing = new Set(ids)
  async function say(text: string): Promise<void> {
    for (const response of readAnswers(text)) {
      onAnswer(response)
      if (response.id !== null) missing.delete(response.id)
    }
    await output.say(text)
  }

  if (answer.is === 'events') {
    const place = await passEvents(answer.events, say)
    return { missing: [...missing], ...place }
  }
  const answers = readAnswers(answer.text)
  if (answers.some(({ id }) => id !== null && missing.has(id))) await say(answer.text)
  else if (answer.status >= 400) {
    // Refused before it was read, so its id stands nowhere.
    const refusal = answers[0]?.error ?? unavailableError(`The hub answered with HTTP ${answer.status}.`)
    await output.fail(ids, refusal)
    missing.clear()
  }
  return { missing: [...missing] }
}

async function passEvents(events: AsyncIterable<ServerEvent>, say: (text: string) => Promise<void>) {
  let lastEventId: string | undefined
  let retryMs: number | undefined
  try {
    for await (const event of events) {
      lastEventId = event.id ?? lastEventId
      retryMs = event.retryMs ?? retryMs
      if (event.data !== '') await say(event.data)
    }
  } catch {
    // It broke off; what is missing shows that.
  }
  return { lastEventId, retryMs }
}
