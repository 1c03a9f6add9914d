/** Sends a request to the hub. `fetch` is such a function. The CLI has its own, for unix sockets. */
export type Send = (url: string, request: HttpRequest) => Promise<HttpAnswer>

export interface HttpRequest {
  readonly method: 'POST'
  readonly headers: Record<string, string>
  readonly body: string
  readonly signal: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: { getReader(): BodyReader } | null
}

/** The part of `ReadableStreamDefaultReader` that every browser has. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<unknown>
}
