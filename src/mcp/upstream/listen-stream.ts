/**
 * What 2026-07-28 has in place of subscriptions: one `subscriptions/listen` that names everything we want to hear of.
 * When that changes, the new one is acknowledged before the old one is closed, so that nothing is missed in between.
 */
import type { Log } from '../../base/log.ts'
import { createSerial } from '../../base/serial.ts'
import type { Params } from '../wire.ts'
import { errorCode, isRecord, RpcError } from '../wire.ts'
import { backoffMs } from './backoff.ts'
import type { Connection } from './connection.ts'
import { Unanswered } from './unanswered.ts'

export interface ListenStream {
  /** Opens one for what is wanted, and closes the one before. Answers those that the upstream will not tell of. */
  open(): Promise<readonly string[]>
  close(): void
}

export interface ListenStreamOptions {
  readonly connection: Connection
  wanted(): readonly string[]
  readonly onNotice: (method: string, params: Params | undefined) => void
  /** It was interrupted: anything may have changed meanwhile. */
  readonly onGap: () => void
  /** The upstream cannot be reached at all. */
  readonly onUnreachable: (reason: string) => void
  readonly ackMs: number
  readonly log: Log
  readonly random: () => number
}

/** A stream that held this long was sound; the wait before the next begins anew. */
const soundMs = 30_000

export function createListenStream(options: ListenStreamOptions): ListenStream {
  const { connection, wanted, onNotice, onGap, onUnreachable, ackMs, log, random } = options
  let current: AbortController | undefined
  let openedAt = 0
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const oneByOne = createSerial()
  // The last that was asked for must be the one that stays.
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
    if (performance.now() - openedAt > soundMs) failures = 0
    current = undefined
    timer = setTimeout(() => void reopen(), backoffMs(++failures, random)).unref()
  }

  async function reopen(): Promise<void> {
    try {
      await open()
      onGap()
    } catch (error) {
      if (error instanceof Unanswered && error.fate === 'unsent') onUnreachable(error.message)
      else if (error instanceof RpcError) log.warn({ error }, 'an upstream no longer tells of changes')
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
