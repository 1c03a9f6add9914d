/** The ways in which an action can be answered, and the result of an action (API, "run_action", "list_routes"). */
import { z } from 'zod'
import { actions } from './action.ts'
import { usageSchema } from './thread.ts'

interface AnyWay {
  /** A caller can ask for the ways with one role only. */
  readonly role?: string | undefined
  /** The higher number is tried first. */
  readonly priority?: number | undefined
  readonly enabled?: boolean | undefined
}

export interface ModelWay extends AnyWay {
  /** Such as `openai/gpt-5`, or `default` for the configured one. */
  readonly model: string
}

export interface ConnectorWay extends AnyWay {
  readonly connector: string
  /** The upstream's own name of the tool. */
  readonly tool: string
  /** How the input becomes the arguments of the tool. Without it, the tool gets the input itself. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

export interface SessionWay extends AnyWay {
  /** A name or an id, or all sessions with a label. */
  readonly session: string | { readonly label: string }
}

export type Way = ModelWay | ConnectorWay | SessionWay

const kinds = ['model', 'connector', 'session'] as const

/** One object for all kinds, because the message about a wrong union would be about every kind. */
const wayFields = z.strictObject({
  model: z.string().min(1).max(200).optional().describe('Such as "openai/gpt-5", or "default".'),
  connector: z.string().min(1).max(40).optional(),
  tool: z.string().min(1).max(256).optional().describe('Of the connector.'),
  arguments: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Of the tool. {query} in a text is that field of the input, {prompt} all of it. By default the input.'),
  session: z
    .union([z.string().min(1).max(200), z.strictObject({ label: z.string().min(1).max(200) })])
    .optional()
    .describe('A name or id, or {"label": …} for all sessions with that label, idle ones first.'),
  role: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'it must have lowercase letters, digits and dashes, such as "reviewer"')
    .optional()
    .describe('What it is for.'),
  priority: z.int().min(-1_000).max(1_000).optional().describe('Higher is tried first (default: 0).'),
  enabled: z.boolean().optional(),
})

const waySchema = wayFields
  .superRefine((way, context) => {
    const named = kinds.filter((kind) => way[kind] !== undefined)
    const refuse = (message: string) => context.addIssue({ code: 'custom', message })
    if (named.length !== 1) refuse('it must have one of "model", "connector" with "tool", or "session"')
    else if (way.connector !== undefined && way.tool === undefined) refuse('"connector" needs "tool", the tool to call')
    else if (way.connector === undefined && (way.tool ?? way.arguments) !== undefined)
      refuse('"tool" and "arguments" go with "connector" only')
  })
  .transform((way) => way as Way)

/** No action needs more ways than this. */
const mostWays = 50

export const waysSchema = z.array(waySchema).max(mostWays)

export const triedSchema = z.object({
  way: z.string(),
  outcome: z
    .enum(['answered', 'failed', 'unavailable'])
    .describe('failed: it got the input, but gave no answer. unavailable: nothing was sent to it.'),
  route: z.string().optional(),
  reason: z.string().optional(),
  ms: z.number(),
})
export type Tried = z.output<typeof triedSchema>

export const actionResultSchema = z.object({
  action: z.enum(actions),
  text: z.string(),
  route: z
    .string()
    .describe('Who answered: openai, anthropic, google, mcp:stdio, mcp:http, mcp:sse or session:<name>.'),
  model: z.string().optional(),
  session_id: z.string().optional(),
  thread_id: z.string().optional(),
  usage: usageSchema.optional(),
  tried: z.array(triedSchema).describe('Every way that was asked, in order; the last one answered.'),
})
export type ActionResult = z.output<typeof actionResultSchema>

export const routeSchema = z.object({
  action: z.enum(actions),
  from: z.string().describe('Where its ways come from: set_routes, config.yaml with the line, or default.'),
  safe_to_repeat: z.boolean().describe('If a way got the input but failed, the next one may be asked.'),
  ways: z
    .array(
      z.looseObject({
        rests_until: z.string().optional().describe('It could not be reached. Until then, the others are asked first.'),
        reason: z.string().optional(),
      }),
    )
    .describe('In the order in which they are tried.'),
})
export type Route = z.output<typeof routeSchema>
