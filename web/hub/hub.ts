/** The hub, as the page talks to it: calls of tools, and notices of changed resources. */
import { type Json, createClient } from '../../src/client/client.ts'
import { address } from '../app/address.ts'
import { CallFailure, toFailure } from './failure.ts'
import { type Feed, type Listen, createFeed } from './feed.ts'
import { type LiveValue, type LiveOptions, createLiveValue } from './live-value.ts'
import { withoutToolAdvice } from './page-words.ts'

export interface Hub extends Disposable {
  readonly feed: Feed
  /** Returns the structured content. Throws a `CallFailure`, or the reason of the signal. */
  call: CallTool
  /** A stream of notices of its own. Views use the feed, which all tabs share. */
  listen: Listen
  /** Aborts when the page leaves the hub. */
  readonly ended: AbortSignal
  /** A value that follows the hub. All callers with the same key share it. */
  live<T>(key: string, options: LiveOptions<T>): LiveValue<T>
}

/** `onProgress` gets the reports of a long call. */
export type CallTool = <T>(
  tool: string,
  args?: Json,
  signal?: AbortSignal,
  onProgress?: (progress: Json) => void,
) => Promise<T>

export interface HubOptions {
  readonly token: string
  /** The token is not valid, or not any more. */
  onLoginNeeded(why: string): void
}

export function createHub({ token, onLoginNeeded }: HubOptions): Hub {
  const client = createClient({
    url: address('mcp'),
    token,
    info: { name: 'signalbox-page', version: '1' },
    send: (url, request) => fetch(url, request),
  })
  const ended = new AbortController()
  const values = new Map<string, LiveValue<unknown>>()

  function report(error: unknown): unknown {
    const failure = toFailure(error)
    if (failure instanceof CallFailure && failure.kind === 'login' && !ended.signal.aborted) {
      onLoginNeeded(failure.message)
    }
    return failure
  }

  const call: CallTool = async <T>(
    tool: string,
    args: Json = {},
    signal?: AbortSignal,
    onProgress?: (progress: Json) => void,
  ) => {
    const stop = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal
    let result
    try {
      result = await client.callTool(tool, args, { signal: stop, ...(onProgress && { onProgress }) })
    } catch (error) {
      throw report(error)
    }
    const first = result.content[0]?.['text']
    const text = typeof first === 'string' ? first : ''
    if (result.isError) throw new CallFailure('refused', withoutToolAdvice(text))
    return (result.structuredContent ?? JSON.parse(text)) as T
  }

  const listen: Listen = async (uris, onNotice, signal) => {
    try {
      await client.listen({ resourceSubscriptions: uris }, onNotice, { signal })
    } catch (error) {
      throw report(error)
    }
  }
  const feed = createFeed({ signal: ended.signal, listen })

  return {
    feed,
    call,
    listen,
    ended: ended.signal,
    live<T>(key: string, options: LiveOptions<T>): LiveValue<T> {
      let value = values.get(key)
      if (!value) values.set(key, (value = createLiveValue({ feed, ended: ended.signal, ...options })))
      return value as LiveValue<T>
    },
    [Symbol.dispose]: () => ended.abort(),
  }
}
