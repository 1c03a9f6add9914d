/** `SIGNALBOX_NOTIFY_URL`: posts a notification as JSON, with a sentence in `text` that chat services show. */
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from './hub-error.ts'

const pausesMs = [1_000, 5_000]
const answerWithinMs = 10_000

/** Tries three times, then rejects. No message contains the URL, because for most services the URL is a secret. */
export async function postHook(url: string, content: object, stopping: AbortSignal): Promise<void> {
  const body = JSON.stringify(content)
  for (const pauseMs of [...pausesMs, undefined]) {
    const fault = await post(url, body, stopping)
    if (fault === undefined) return
    if (pauseMs === undefined) throw new Error(`the POST to the notify URL failed: ${fault}`)
    await delay(pauseMs, undefined, { signal: stopping })
  }
}

/** The reason for a failure; `undefined` on success. */
async function post(url: string, body: string, stopping: AbortSignal): Promise<string | undefined> {
  try {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(answerWithinMs)])
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
    await response.body?.cancel()
    return response.ok ? undefined : `it answered ${response.status}`
  } catch (error) {
    stopping.throwIfAborted()
    return messageOf(error instanceof Error && error.cause ? error.cause : error)
  }
}
