/** Writes a reply as its script says: at once, slowly, only after a release, or only the first half. */
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { ReplyStream, StreamEvent } from './dialect.ts'
import { piecesOf } from './part.ts'
import type { Reply } from './script.ts'

/** Replies that wait until the test releases them. */
export interface Stalls {
  readonly count: number
  /** Rejects if the client leaves first. */
  wait(gone: AbortSignal): Promise<unknown>
  release(): void
}

export function createStalls(): Stalls {
  const events = new EventEmitter().setMaxListeners(0)
  return {
    get count() {
      return events.listenerCount('release')
    },
    wait: (gone) => once(events, 'release', { signal: gone }),
    release: () => void events.emit('release'),
  }
}

/** The text of a reply, in the steps between which `SLOW` pauses. */
export interface ReplyText {
  readonly type: 'text/event-stream' | 'application/json'
  readonly head: string
  readonly steps: readonly (readonly string[])[]
  readonly tail: string
}

export function streamText({ head, steps, tail }: ReplyStream): ReplyText {
  return {
    type: 'text/event-stream',
    head: head.map(frameOf).join(''),
    steps: steps.map((step) => step.map(frameOf)),
    tail: tail.map(frameOf).join(''),
  }
}

export function wholeText(body: object): ReplyText {
  return { type: 'application/json', head: '', steps: [piecesOf(JSON.stringify(body))], tail: '' }
}

export interface Delivery {
  readonly reply: Exclude<Reply, { is: 'failure' | 'full' }>
  readonly text: ReplyText
  readonly stalls: Stalls
  /** Aborts when the model stops. */
  readonly stopping: AbortSignal
}

/** The time for a client to read the first half. It may drop unread text when the connection breaks. */
const cutMs = 200

/** Returns whether the reply is complete. Then the caller ends the response. */
export async function writeReply(response: ServerResponse, delivery: Delivery): Promise<boolean> {
  const { reply, text, stalls, stopping } = delivery
  const left = new AbortController()
  response.once('close', () => left.abort())
  const gone = AbortSignal.any([left.signal, stopping])
  response.writeHead(200, { 'content-type': text.type, 'cache-control': 'no-cache' }).flushHeaders()
  response.write(text.head)
  try {
    if (reply.is === 'stall') await stalls.wait(gone)
    if (reply.is === 'cut') {
      const frames = text.steps.flat()
      response.write(frames.slice(0, Math.ceil(frames.length / 2)).join(''))
      await wait(cutMs, undefined, { signal: gone })
      response.destroy()
      return false
    }
    for (const step of text.steps) {
      if (reply.pauseMs > 0) await wait(reply.pauseMs, undefined, { signal: gone })
      response.write(step.join(''))
    }
  } catch (error) {
    if (!gone.aborted) throw error
    response.destroy()
    return false
  }
  response.write(text.tail)
  return true
}

function frameOf({ event, data }: StreamEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}
