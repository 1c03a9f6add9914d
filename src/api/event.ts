/**
 * The lines of the event log (API, "Event"). `HubEvent` is a union: the type of an event says what its payload holds. A
 * new kind of event is a new entry in `eventPayloads`.
 *
 * The log may hold events of other releases, and parts of a payload may be redacted or cut. So a reader gets a
 * `LoggedEvent`, which promises nothing about its payload, and `readEvent` checks the payload of the type it asks for.
 */
import { z } from 'zod'
import { approvalScopes, approvalStatuses } from './approval.ts'
import { chatSides } from './chat.ts'
import { connectorSchema } from './connector.ts'
import { decisionSchema, policyScopes, proposalStatuses } from './policy.ts'
import { triedSchema } from './route.ts'
import { sessionStatuses } from './session-status.ts'
import { activitySchema } from './session.ts'
import { turnStatuses, usageSchema } from './thread.ts'

/** A policy that could not be evaluated has no version. */
const decision = decisionSchema.partial({ policy_version: true })

const approval = z.object({
  approval: z.string(),
  tool: z.string(),
  digest: z.string(),
  status: z.enum(approvalStatuses),
  policy_version: z.string(),
  rule: z.string().optional(),
  by: z.string().optional(),
  reason: z.string().optional(),
  scope: z.enum(approvalScopes).optional(),
  token_id: z.string().optional(),
})

const proposal = z.object({
  id: z.string(),
  rules: z.string(),
  why: z.string(),
  status: z.enum(proposalStatuses),
  by: z.string().optional(),
  reason: z.string().optional(),
})

const binding = z.object({ connector: z.string(), label: z.string() })

const nothing = z.object({})

/** The request or response of a model is left out on purpose (SIGNALBOX_EVENT_SAMPLING). */
const leftOut = z.literal('sampling')

/** Types are a noun and a verb in the past. */
const eventPayloads = {
  'hub-started': z.object({ version: z.string(), pid: z.int(), url: z.string() }),
  'hub-stopped': nothing,
  'events-dropped': z.object({ count: z.int(), first_seq: z.int(), last_seq: z.int() }),

  'tool-called': z.object({
    tool: z.string(),
    aliases: z.array(z.string()).readonly().optional(),
    arguments: z.record(z.string(), z.unknown()).readonly(),
    /** Set for calls of agents. */
    decision: decision.optional(),
    /** Of an own tool: the agent's own settings wanted a person to confirm it. */
    agent_asks: z.boolean().optional(),
    role: z.string().optional(),
    token_id: z.string().optional(),
    client: z.string().optional(),
    upstream: z.string().optional(),
    /** The span of the caller, if it sent a W3C trace context. */
    caller_span: z.string().optional(),
  }),
  'tool-answered': z.object({
    tool: z.string(),
    ms: z.number(),
    outcome: z.string(),
    approval: z.string().optional(),
    decision: decision.optional(),
    bytes: z.int().optional(),
    error: z.unknown().optional(),
  }),
  /**
   * A prompt was given to the agent of a session. Until `turn-ended`, this event is the parent of everything the agent
   * does.
   */
  'turn-started': z.object({
    /** The sessions that work for one another, by name; the last is the one whose turn it is. */
    chain: z.array(z.string()).readonly(),
  }),
  'turn-ended': z.object({
    status: z.enum(turnStatuses),
    ms: z.number(),
    reason: z.string().optional(),
    usage: usageSchema.optional(),
  }),
  /** A call of a model by the hub itself. `request` and `response` are redacted like everything else, and may be cut. */
  'model-called': z.object({
    model: z.string(),
    request: z.record(z.string(), z.unknown()).readonly(),
    left_out: leftOut.optional(),
  }),
  'model-answered': z.object({
    model: z.string(),
    ms: z.number(),
    outcome: z.enum(['ok', 'error', 'cancelled']),
    finish_reason: z.string().optional(),
    response: z.record(z.string(), z.unknown()).readonly().optional(),
    stream: z.object({ parts: z.int(), first_part_ms: z.number().optional() }).optional(),
    usage: usageSchema.optional(),
    error: z.unknown().optional(),
    left_out: leftOut.optional(),
  }),
  /** An action was answered, or nothing could answer it. `tried`: every way that was asked, in order. */
  'action-routed': z.object({
    action: z.string(),
    outcome: z.enum(['answered', 'failed', 'unavailable', 'cancelled']),
    ms: z.number(),
    tried: z.array(triedSchema).readonly(),
    /** The session that was asked last, and its thread. */
    asked_session: z.string().optional(),
    asked_thread: z.string().optional(),
  }),
  /** `bodies`: requests and responses of models that sampling left out. */
  'calls-unrecorded': z.object({ calls: z.int(), outcomes: z.int().optional(), bodies: z.int().optional() }),

  'login-used': z.object({ token_id: z.string(), created_by: z.string() }),

  'policy-saved': z.object({
    scope: z.enum(policyScopes),
    target: z.string().optional(),
    version: z.int(),
    by: z.string(),
  }),
  'policy-proposed': proposal,
  'policy-decided': proposal,

  'approval-requested': approval,
  'approval-decided': approval,
  'approval-consumed': approval,
  'approval-expired': approval,
  'approval-abandoned': approval,
  'grant-made': z.object({
    grant: z.string(),
    approval: z.string(),
    tool: z.string(),
    scope: z.enum(approvalScopes),
    when: z.record(z.string(), z.unknown()).readonly().optional(),
    by: z.string(),
    token_id: z.string(),
  }),
  'grant-revoked': z.object({
    grant: z.string(),
    tool: z.string(),
    approval: z.string(),
    by: z.string(),
    token_id: z.string().optional(),
  }),

  'session-created': z.object({
    name: z.string(),
    template: z.string(),
    command: z.string(),
    resumed_from: z.string().optional(),
    tmux: z.string().optional(),
  }),
  'session-started': z.object({ name: z.string() }),
  'session-found': z.object({ name: z.string() }),
  'session-ended': z.object({
    status: z.enum(sessionStatuses),
    exit_code: z.int().optional(),
    signal: z.string().optional(),
  }),
  /** The hub pressed keys at a question that a program asked on its screen before its first prompt. */
  'dialog-answered': z.object({
    /** The question in words, if the activity rules know it. */
    question: z.string().optional(),
    /** The pattern of the template that the screen matched. */
    shows: z.string(),
    /** The log redacts a field named `keys`, which holds what a person types. */
    pressed: z.string(),
  }),
  /** A confined session, or a confined connector, wanted to reach a host. */
  'network-decided': z.object({
    connector: z.string().optional(),
    host: z.string(),
    port: z.int(),
    allowed: z.boolean(),
    reason: z.string().optional(),
  }),
  'job-queued': z.object({ name: z.string(), priority: z.number() }),
  'activity-changed': activitySchema,
  /** Does not contain the text, which the store keeps as long as the session. */
  'chat-posted': z.object({
    side: z.enum(chatSides),
    message: z.int(),
    bytes: z.int(),
    from: z.string().optional(),
  }),

  'connector-saved': z.object({ connector: connectorSchema }),
  'connector-deleted': z.object({ name: z.string() }),
  'connector-bound': binding,
  'connector-unbound': binding,
  'connector-restarted': binding,
} satisfies Record<string, z.ZodType>

export type EventType = keyof typeof eventPayloads
export type EventPayload<Type extends EventType> = Readonly<z.input<(typeof eventPayloads)[Type]>>

/** The session, thread and call that the event belongs to. */
export interface EventPlace {
  readonly session?: string
  readonly thread?: string
  /** shared by all events of one call, over all hops */
  readonly correlation?: string
  /** the `id` of the event that caused this one */
  readonly parent?: string
  readonly route?: string
  readonly provider?: string
}

interface EventEntry {
  /** Only grows. It is the cursor of readers. */
  readonly seq: number
  readonly id: string
  /** ISO 8601 UTC */
  readonly at: string
}

/** An event before it is appended. The log adds `seq`, `id` and `at`. */
export type NewEvent = {
  [Type in EventType]: EventPlace & {
    /** By default, the log makes one. */
    readonly id?: string
    readonly type: Type
    readonly payload: EventPayload<Type>
  }
}[EventType]

export type HubEvent = NewEvent & EventEntry

/** One line of the log, as it is stored. */
export interface LoggedEvent extends EventPlace, EventEntry {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

export const loggedEventSchema = z.object({
  seq: z.number(),
  id: z.string(),
  type: z.string(),
  at: z.string(),
  session: z.string().optional(),
  thread: z.string().optional(),
  correlation: z.string().optional(),
  parent: z.string().optional(),
  route: z.string().optional(),
  provider: z.string().optional(),
  payload: z.record(z.string(), z.unknown()),
})

/** `undefined`: the event has another type, or its payload does not fit the schema of this release. */
export function readEvent<Type extends EventType>(
  event: LoggedEvent,
  type: Type,
): Extract<HubEvent, { type: Type }> | undefined {
  const isOne = event.type === type && eventPayloads[type].safeParse(event.payload).success
  return isOne ? (event as Extract<HubEvent, { type: Type }>) : undefined
}

/** Checks the type only, not the payload. */
export function hasType(event: LoggedEvent, type: EventType): boolean {
  return event.type === type
}
