/**
 * Subscriptions in 2026-07-28: one `subscriptions/listen` request that names every topic. When the topics change, the
 * new stream is acknowledged before the old one is closed, so that no notice is missed.
 */
import { backoffMs } from '../base/backoff.ts'
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { Params } from '../mcp/mcp.ts'
import { errorCode, isRecord, RpcError } from '../mcp/mcp.ts'
import type { Connection } from './connection.ts'
import { Unanswered } from './unanswered.ts'

export interface ListenStream {
  /**
   * Opens a stream for the current topics and closes the previous one. Returns the topics that the upstream refused.
   */
  open(): Promise<readonly string[]>
  close(): void
}

export interface ListenStreamOptions {
  readonly connection: Connection
  wanted(): readonly string[]
  readonly onNotice: (method: string, params: Params | undefined) => void
  /** The stream was interrupted, so any topic may have changed. */
  readonly onGap: () => void
  /** The upstream cannot be reached at all. */
  readonly onUnreachable: (reason: string) => void
  readonly ackMs: number
  readonly log: Log
  readonly random: () => number
}

/** A stream that was open this long counts as healthy, and the backoff starts again. */
const healthyMs = 30_000
const reopening = { firstMs: 200, longestMs: 30_000 }

export function createListenStream(options: ListenStreamOptions): ListenStream {
  const { connection, wanted, onNotice, onGap, onUnreachable, ackMs, log, random } = options
  let current: AbortController | undefined
  let openedAt = 0
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const oneByOne = createSerial()
  // In order, so that the stream that was requested last is the one that stays.
  const open = () => oneByOne(openNext)

  async function openNext(): Promise<readonly string[]> {
    clearTimeout(timer)
    const uris = wanted()
    const stream = new AbortController()
    const acknowledged = Promise.withResolvers<Params | undefined>()
    const over = connection.request(
      'subscriptions/listen',
      { notifications: filterOf(uris) },
      {
        signal: stream.signal,
        onNotice(method, params) {
          if (method === 'notifications/subscriptions/acknowledged') acknowledged.resolve(params)
          else onNotice(method, params)
        },
      },
    )
    over.then(() => acknowledged.reject(new Unanswered('lost', 'It ended the stream.')), acknowledged.reject)
    const endedAfter = over.catch((error: unknown) => log.debug({ error }, 'a stream of notices ended'))
    void endedAfter.then(() => current === stream && reopenLater())
    const tooLong = setTimeout(() => stream.abort(tooSlow(ackMs)), ackMs)
    const ack = await acknowledged.promise.finally(() => clearTimeout(tooLong))
    current?.abort()
    if (isClosed) stream.abort()
    current = stream
    openedAt = performance.now()
    return unheard(uris, ack)
  }

  function reopenLater(): void {
    if (isClosed) return
    if (performance.now() - openedAt > healthyMs) failures = 0
    current = undefined
    timer = setTimeout(() => void reopen(), backoffMs(reopening, ++failures, random)).unref()
  }

  async function reopen(): Promise<void> {
    try {
      await open()
      onGap()
    } catch (error) {
      if (error instanceof Unanswered && error.fate === 'unsent') onUnreachable(error.message)
      else if (error instanceof RpcError) log.warn({ error }, 'an upstream no longer reports changes')
      else reopenLater()
    }
  }

  return {
    open,
    close() {
      isClosed = true
      clearTimeout(timer)
      current?.abort()
      current = undefined
    },
  }
}

function filterOf(uris: readonly string[]): Params {
  return {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}

function unheard(uris: readonly string[], ack: Params | undefined): readonly string[] {
  const honoured = isRecord(ack?.['notifications']) ? ack['notifications']['resourceSubscriptions'] : undefined
  return uris.filter((uri) => !Array.isArray(honoured) || !honoured.includes(uri))
}

function tooSlow(ackMs: number): RpcError {
  return new RpcError(errorCode.unavailable, `The upstream did not acknowledge the subscription within ${ackMs} ms.`)
}
