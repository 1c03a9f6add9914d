/** What the event log keeps of one call of an agent: that it was made and how that was decided, and how it ended. */
import { recordedArguments } from '../base/recorded-arguments.ts'
import type { EventLog } from '../events/events.ts'
import type { Call } from '../mcp/mcp.ts'
import type { Verdict } from '../policy/policy.ts'
import type { Failed, GateRequest } from './gate.ts'

export interface CallRecord {
  /** The id of the event that says it was made. */
  readonly event: string
  end(outcome: Outcome): Promise<void>
}

export interface Outcome {
  readonly outcome: string
  readonly approval?: string
  /** Where the policy was asked once more, after a person had said yes. */
  readonly decision?: Verdict | Failed
  readonly bytes?: number
  readonly error?: unknown
}

/** `goesOnFrom`: the event of the round before, where it only comes back. */
export async function openCallRecord(
  events: EventLog,
  request: GateRequest,
  call: Call,
  { verdict, goesOnFrom }: { readonly verdict: Verdict | Failed; readonly goesOnFrom?: string | undefined },
): Promise<CallRecord> {
  const { tool, route } = request
  const { correlation, caller } = call
  const common = { correlation, session: caller.session!, ...(route !== undefined && { route }) }
  const startedAt = performance.now()
  const event =
    goesOnFrom ??
    (await events.append({ ...common, type: 'tool-called', payload: requestPayload(request, verdict, call) })).id
  return {
    event,
    async end({ decision, ...outcome }) {
      const ms = Math.round((performance.now() - startedAt) * 1000) / 1000
      const payload = { tool, ms, ...outcome, ...(decision && { decision: wireDecision(decision) }) }
      await events.append({ ...common, type: 'tool-answered', parent: event, payload })
    },
  }
}

function requestPayload(request: GateRequest, verdict: Verdict | Failed, { caller, client }: Call) {
  const { tool, aliases, unrecorded, upstream } = request
  return {
    tool,
    ...(aliases && { aliases }),
    arguments: recordedArguments(request.arguments, unrecorded),
    decision: wireDecision(verdict),
    role: caller.role,
    token_id: caller.tokenId,
    ...(client.info && { client: client.info.name }),
    ...(upstream !== undefined && { upstream }),
  }
}

function wireDecision(verdict: Verdict | Failed) {
  if ('failure' in verdict) return { effect: 'deny', reason: verdict.failure }
  const { policyVersion, ...rest } = verdict
  return { ...rest, policy_version: policyVersion }
}
