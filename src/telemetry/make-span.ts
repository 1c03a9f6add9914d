/**
 * Makes a span of two events, its beginning and its end. The attributes follow the GenAI and MCP semantic conventions
 * of OpenTelemetry (https://github.com/open-telemetry/semantic-conventions-genai, status "development"). Attributes
 * without a name there begin with `signalbox.`. No span has the text of a prompt, an argument, a result or an error.
 */
import type { LoggedEvent } from '../api/event.ts'
import type { OpenOutcome } from '../api/trace.ts'
import { isRecord } from '../base/is-record.ts'
import { spanIdOf, traceIdOf } from '../base/span-ids.ts'
import type { FinishedSpan, SpanAttributes } from './span.ts'

export interface SpanEvents {
  /** The id of the event that begins it. */
  readonly id: string
  /** `undefined`: this hub has not seen it, or no longer knows it. */
  readonly start: LoggedEvent | undefined
  /** The event that ended it or, with an `outcome`, the event that shows that it will not end. */
  readonly end: LoggedEvent
  readonly outcome?: Exclude<OpenOutcome, 'running'>
  /** The id of the event above it. */
  readonly parent: string | undefined
}

export function makeSpan({ id, start, end, outcome, parent }: SpanEvents): FinishedSpan {
  const place = start ?? end
  const payload = { ...start?.payload, ...(outcome === undefined && end.payload) }
  const described = describe((start ?? end).type, place, payload)
  const endedAt = new Date(end.at)
  const startedAt = start ? new Date(start.at) : new Date(endedAt.getTime() - (numberOf(payload['ms']) ?? 0))
  const errorType = outcome === undefined ? described.errorType : undefined
  return {
    traceId: traceIdOf(place.correlation ?? id),
    spanId: spanIdOf(id),
    parentSpanId: parent === undefined ? callerSpanOf(payload) : spanIdOf(parent),
    name: described.name,
    kind: described.kind,
    startedAt,
    // A clock that was set back must not give a negative duration.
    endedAt: endedAt < startedAt ? startedAt : endedAt,
    attributes: defined({
      ...placeAttributes(place),
      ...described.attributes,
      'signalbox.outcome': outcome ?? textOf(payload['outcome']) ?? textOf(payload['status']),
      'error.type': errorType,
    }),
    errorType,
  }
}

/** The span of the caller, for a span that has no parent in the hub. */
function callerSpanOf(payload: Payload): string | undefined {
  const span = textOf(payload['caller_span'])
  return span !== undefined && /^[0-9a-f]{16}$/.test(span) ? span : undefined
}

type Payload = Readonly<Record<string, unknown>>
type Description = Pick<FinishedSpan, 'name' | 'kind' | 'errorType'> & { readonly attributes: LooseAttributes }
type LooseAttributes = Readonly<Record<string, SpanAttributes[string] | undefined>>

function describe(type: string, place: LoggedEvent, payload: Payload): Description {
  if (type.startsWith('model-')) return modelCall(place, payload)
  if (type.startsWith('turn-')) return turn(place, payload)
  if (type.startsWith('approval-')) return approval(payload)
  return toolCall(place, payload)
}

function placeAttributes({ session, thread, route, id, correlation }: LoggedEvent): LooseAttributes {
  return {
    'gen_ai.conversation.id': thread,
    'signalbox.session.id': session,
    'signalbox.route': route,
    'signalbox.correlation': correlation,
    'signalbox.event.id': id,
  }
}

function modelCall({ provider, route }: LoggedEvent, payload: Payload): Description {
  const model = textOf(payload['model']) ?? 'unknown'
  const stream = isRecord(payload['stream']) ? payload['stream'] : undefined
  const firstPartMs = numberOf(stream?.['first_part_ms'])
  const reason = textOf(payload['finish_reason'])
  return {
    name: `chat ${model}`,
    kind: 'client',
    errorType: payload['outcome'] === 'ok' ? undefined : textOf(payload['outcome']),
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerName(provider ?? route),
      'gen_ai.request.model': model,
      'gen_ai.request.stream': stream && true,
      'gen_ai.response.finish_reasons': reason === undefined ? undefined : [reason],
      'gen_ai.response.time_to_first_chunk': firstPartMs === undefined ? undefined : firstPartMs / 1000,
      ...usageAttributes(payload['usage']),
    },
  }
}

function turn({ session, provider }: LoggedEvent, payload: Payload): Description {
  const chain = Array.isArray(payload['chain']) ? payload['chain'].map(String) : []
  const agent = chain.at(-1)
  return {
    name: agent === undefined ? 'invoke_agent' : `invoke_agent ${agent}`,
    kind: 'internal',
    errorType: payload['status'] === 'failed' ? 'failed' : undefined,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': provider === undefined ? undefined : providerName(provider),
      'gen_ai.agent.name': agent,
      'gen_ai.agent.id': session,
      'signalbox.chain': chain.length > 1 ? chain : undefined,
      ...usageAttributes(payload['usage']),
    },
  }
}

function approval(payload: Payload): Description {
  return {
    name: `approval ${textOf(payload['tool']) ?? ''}`.trimEnd(),
    kind: 'internal',
    attributes: {
      'signalbox.approval.id': textOf(payload['approval']),
      'signalbox.policy.rule': textOf(payload['rule']),
    },
  }
}

function toolCall({ route }: LoggedEvent, payload: Payload): Description {
  const tool = textOf(payload['tool']) ?? 'unknown'
  const decision = isRecord(payload['decision']) ? payload['decision'] : {}
  const method = methodOf(tool, payload)
  const isTool = method === undefined || method === 'tools/call'
  return {
    name: isTool ? `${method ?? 'execute_tool'} ${tool}` : method,
    kind: method === undefined ? 'internal' : route?.startsWith('mcp:') ? 'client' : 'server',
    errorType: errorOf(textOf(payload['outcome'])),
    attributes: {
      'gen_ai.operation.name': isTool ? 'execute_tool' : undefined,
      'gen_ai.tool.name': isTool ? tool : undefined,
      'mcp.method.name': method,
      'network.transport': route?.startsWith('mcp:') ? (route === 'mcp:stdio' ? 'pipe' : 'tcp') : undefined,
      'signalbox.upstream': textOf(payload['upstream']),
      'signalbox.policy.effect': textOf(decision['effect']),
      'signalbox.policy.rule': textOf(decision['rule']),
      'signalbox.policy.version': textOf(decision['policy_version']),
      'signalbox.approval.id': textOf(payload['approval']),
    },
  }
}

/**
 * For a policy, a request that is not a tool call has the name `<mount>_read` or `<mount>_<method>`. `undefined`: the
 * call did not come by MCP.
 */
function methodOf(tool: string, { arguments: args, upstream }: Payload): string | undefined {
  if (tool.startsWith('own_')) return undefined
  const otherMethod = /_([a-z]+\/[\w/]+)$/i.exec(tool)?.[1]
  if (otherMethod !== undefined) return otherMethod
  if (upstream === undefined || !tool.endsWith('_read') || !isRecord(args)) return 'tools/call'
  if (typeof args['uri'] === 'string') return 'resources/read'
  return typeof args['name'] === 'string' ? 'prompts/get' : 'tools/call'
}

/** `waiting`: the call ended, and the agent makes it again to get the answer. */
function errorOf(outcome: string | undefined): string | undefined {
  switch (outcome) {
    case undefined:
    case 'ok':
    case 'waiting':
      return undefined
    case 'error':
      return 'tool_error'
    default:
      return outcome
  }
}

/** Some providers have another name in the conventions than in the hub. */
function providerName(provider: string | undefined): string {
  return provider === 'google' ? 'gcp.gemini' : (provider ?? '_OTHER')
}

function usageAttributes(usage: unknown): LooseAttributes {
  if (!isRecord(usage)) return {}
  return {
    'gen_ai.usage.input_tokens': numberOf(usage['input_tokens']),
    'gen_ai.usage.output_tokens': numberOf(usage['output_tokens']),
    'signalbox.usage.cost_usd': numberOf(usage['cost_usd']),
  }
}

function defined(attributes: LooseAttributes): SpanAttributes {
  return Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, SpanAttributes[string]] => entry[1] !== undefined),
  )
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
