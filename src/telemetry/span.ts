/** A finished span in our own words. Only `otlp-sender.ts` knows OpenTelemetry. */
export interface FinishedSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly parentSpanId?: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'client' | 'server'
  readonly startedAt: Date
  readonly endedAt: Date
  readonly attributes: SpanAttributes
  /** The class of the error that it ended with. */
  readonly errorType?: string | undefined
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>

export interface SpanSender {
  /** Never rejects. */
  send(spans: readonly FinishedSpan[]): Promise<SendResult>
  /** Aborts requests that are still in flight. */
  close(): void
}

export type SendResult =
  | { readonly is: 'sent' }
  /** The collector will never take these spans. */
  | { readonly is: 'refused'; readonly error: unknown }
  /** The same spans may be sent again later. */
  | { readonly is: 'failed'; readonly error: unknown }
