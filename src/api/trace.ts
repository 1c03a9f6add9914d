/** Everything that one call caused, as a tree of events (API, "get_trace"). */
import { z } from 'zod'
import type { EventType } from './event.ts'

/** Events that begin something that takes time, and the event that ends it. The end has the beginning as its parent. */
const endTypes: Readonly<Partial<Record<string, EventType>>> = {
  'tool-called': 'tool-answered',
  'model-called': 'model-answered',
  'turn-started': 'turn-ended',
} satisfies Partial<Record<EventType, EventType>>

/** The type of the event that ends what this one begins. `undefined`: this one begins nothing. */
export function endTypeOf({ type }: { readonly type: string }): EventType | undefined {
  return endTypes[type]
}

/** `input-required`: the client was asked something, and the call continues with its answer. */
export function isLastAnswer({ payload }: { readonly payload: Readonly<Record<string, unknown>> }): boolean {
  return payload['outcome'] !== 'input-required'
}

/**
 * The outcome of a call or turn whose end is not recorded. `running`: it has not ended yet. `unknown`: a hub has
 * started since, so its end may be lost. `cut`: the session of the turn has ended.
 */
const openOutcomes = ['running', 'unknown', 'cut'] as const
export type OpenOutcome = (typeof openOutcomes)[number]

/**
 * Why an event with a parent is a root. `missing`: the log does not have the parent; retention may have dropped it.
 * `cyclic`: the parent is below this event.
 */
const detachments = ['missing', 'cyclic'] as const
export type Detachment = (typeof detachments)[number]

export interface Span {
  readonly id: string
  readonly type: string
  readonly at: string
  /** Since the first event of the trace. */
  readonly after_ms: number
  /** How long the call or turn took, if its end is recorded. */
  readonly ms?: number | undefined
  readonly session?: string | undefined
  readonly thread?: string | undefined
  /** A repeated call has another correlation than the first one. */
  readonly correlation?: string | undefined
  /** As recorded. A span that is nested too deep is listed below an ancestor instead. */
  readonly parent?: string | undefined
  readonly detached?: Detachment | undefined
  readonly route?: string | undefined
  readonly provider?: string | undefined
  /** Without the request and the response of a model. `query_events` has them. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly outcome?: OpenOutcome | undefined
  readonly spans: readonly Span[]
}

const spanSchema: z.ZodType<Span> = z.lazy(() =>
  z.object({
    id: z.string(),
    type: z.string(),
    at: z.string(),
    after_ms: z.number(),
    ms: z.number().optional(),
    session: z.string().optional(),
    thread: z.string().optional(),
    correlation: z.string().optional(),
    parent: z.string().optional(),
    detached: z.enum(detachments).optional(),
    route: z.string().optional(),
    provider: z.string().optional(),
    payload: z.record(z.string(), z.unknown()),
    outcome: z.enum(openOutcomes).optional(),
    spans: z.array(spanSchema),
  }),
)

export const traceSchema = z.object({
  correlation: z.string(),
  spans: z.array(spanSchema),
  /** The trace has more events than these. */
  truncated: z.literal(true).optional(),
})
