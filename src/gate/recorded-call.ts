/** The call and the decision on it, as the event log keeps them. */
import type { EventPayload } from '../api/event.ts'
import { recordedArguments } from '../base/recorded-arguments.ts'
import type { RecordedCall } from '../events/events.ts'
import type { Decided, GateRequest } from './authorization.ts'

export function recordedCall(request: GateRequest, decided: Decided): RecordedCall {
  const { correlation, session, thread, parent, route } = request
  const { tool, aliases, unrecorded, upstream, caller, clientName, agentAsks } = request
  return {
    correlation,
    session,
    thread,
    parent,
    route,
    request: {
      tool,
      ...(aliases && { aliases }),
      arguments: recordedArguments(request.arguments, unrecorded),
      decision: recordedDecision(decided),
      ...(agentAsks && { agent_asks: true }),
      ...(caller && { role: caller.role, token_id: caller.tokenId }),
      ...(clientName !== undefined && { client: clientName }),
      ...(upstream !== undefined && { upstream }),
      ...(request.callerSpan !== undefined && { caller_span: request.callerSpan }),
    },
  }
}

export function recordedDecision(decided: Decided): NonNullable<EventPayload<'tool-called'>['decision']> {
  if ('failure' in decided) return { effect: 'deny', reason: decided.failure }
  const { policyVersion, ...rest } = decided
  return { ...rest, policy_version: policyVersion }
}
