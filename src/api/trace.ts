/** One call's whole path as a tree of events (API, "get_trace"). */
import { z } from 'zod'

export interface Span {
  readonly id: string
  readonly type: string
  readonly at: string
  /** Since the first event of the trace. */
  readonly after_ms: number
  readonly session?: string | undefined
  /** A call that was made again has another one. */
  readonly correlation?: string | undefined
  readonly route?: string | undefined
  readonly payload: Readonly<Record<string, unknown>>
  /** Of a call without a recorded outcome: it still runs, or the hub was killed before the outcome was written. */
  readonly outcome?: 'unknown' | undefined
  readonly spans: readonly Span[]
}

const spanSchema: z.ZodType<Span> = z.lazy(() =>
  z.object({
    id: z.string(),
    type: z.string(),
    at: z.string(),
    after_ms: z.number(),
    session: z.string().optional(),
    correlation: z.string().optional(),
    route: z.string().optional(),
    payload: z.record(z.string(), z.unknown()),
    outcome: z.literal('unknown').optional(),
    spans: z.array(spanSchema),
  }),
)

export const traceSchema = z.object({ correlation: z.string(), spans: z.array(spanSchema) })
