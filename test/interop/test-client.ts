/** The interface that the tests need from a client library, so that the same tests run with each. */
import type { Endpoint } from '../harness/modern-call.ts'

export interface TestClient extends AsyncDisposable {
  /** The `Mcp-Session-Id` of a legacy client. */
  connectionId(): string | undefined
  listTools(): Promise<readonly string[]>
  /** The structured content of the tool's result. */
  callTool(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>>
  readText(uri: string): Promise<string>
  /** From now on changes of these resources arrive as `notices`. Replaces the resources watched before. */
  watch(uris: readonly string[]): Promise<void>
  /** The URIs of the received notices, in order. */
  readonly notices: readonly string[]
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: number, message?: string) => void
}

export interface LegacyTestClient extends TestClient {
  /** How many streams it has opened with GET: one for notices, and one for each reconnect. */
  streamsOpened(): number
  /** Opens the notice stream again, as a program does after its library has given up. */
  reopenNotices(): Promise<void>
}

export interface ModernTestClient extends TestClient {
  /** How the stream that `watch` opened ended. */
  watchEnded(): Promise<'local' | 'graceful' | 'remote'> | undefined
}

export interface ConnectOptions {
  /** How often the library tries to reopen a lost stream. The default is enough for a restart of the hub. */
  readonly retries?: number
}

/**
 * Counts the streams that a library opens with GET, because the library does not report them. A stream counts from its
 * first event on, when the library has an id to resume from.
 */
export function countStreams(): { readonly opened: () => number; readonly fetch: typeof fetch } {
  let opened = 0
  return {
    opened: () => opened,
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (init?.method !== 'GET' || !response.body) return response
      return new Response(response.body.pipeThrough(onFirstEvent(() => opened++)), response)
    },
  }
}

function onFirstEvent(listener: () => void): TransformStream<Uint8Array, Uint8Array> {
  let text: string | undefined = ''
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk)
      if (text === undefined) return
      text += Buffer.from(chunk).toString('latin1')
      if (!/^id:.*\n\n/ms.test(text)) return
      text = undefined
      listener()
    },
  })
}

export type Connect<Client> = (endpoint: Endpoint, options?: ConnectOptions) => Promise<Client>

export const clientInfo = { name: 'signalbox-interop', version: '1.0.0' }

export function reconnection({ retries = 100 }: ConnectOptions = {}) {
  return {
    initialReconnectionDelay: 100,
    maxReconnectionDelay: 200,
    reconnectionDelayGrowFactor: 1.5,
    maxRetries: retries,
  }
}
