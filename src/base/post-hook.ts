/** `SIGNALBOX_NOTIFY_URL`: what happened as JSON, with a sentence that chat services show as it is. */
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from './hub-error.ts'

const pausesMs = [1_000, 5_000]
const answerWithinMs = 10_000

/** Three times, then it rejects. The address is a secret to most services, and in no message. */
export async function postHook(url: string, content: object, stopping: AbortSignal): Promise<void> {
  const body = JSON.stringify(content)
  for (const pauseMs of [...pausesMs, undefined]) {
    const fault = await post(url, body, stopping)
    if (fault === undefined) return
    if (pauseMs === undefined) throw new Error(`the notify URL could not be told: ${fault}`)
    await delay(pauseMs, undefined, { signal: stopping })
  }
}

/** Why it did not work; `undefined` if it did. */
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
