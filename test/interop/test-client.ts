/** What the suite needs of a client library, so that one suite fits all. */
import type { Endpoint } from '../harness/modern-call.ts'

export interface TestClient extends AsyncDisposable {
  /** What the hub gave a legacy client as `Mcp-Session-Id`. */
  connectionId(): string | undefined
  listTools(): Promise<readonly string[]>
  /** The structured content of the tool's result. */
  callTool(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>>
  readText(uri: string): Promise<string>
  /** From now on changes of these come as `notices`, in place of those watched before. */
  watch(uris: readonly string[]): Promise<void>
  /** The URIs of the notices that came, in that order. */
  readonly notices: readonly string[]
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: number) => void
}

export interface LegacyTestClient extends TestClient {
  /** How many streams it opened by GET so far: one for notices, then those it came back for. */
  streamsOpened(): number
  /** Opens the notice stream once more, as a program does when its library has given up. */
  reopenNotices(): Promise<void>
}

export interface ModernTestClient extends TestClient {
  /** How the stream that `watch` opened came to its end. */
  watchEnded(): Promise<'local' | 'graceful' | 'remote'> | undefined
}

export interface ConnectOptions {
  /** How often the library tries to get a lost stream back; by default often enough for a hub to restart. */
  readonly retries?: number
}

/**
 * Counts the streams that a library opens by GET, which it tells nobody. One counts when its first event has come: from
 * then on the library has an id to resume from.
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
