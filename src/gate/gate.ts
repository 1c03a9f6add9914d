/**
 * The gate that every call of an agent passes, on every path: it decides the call, records it with the decision, asks a
 * person if needed, lets the caller run it, and records the outcome. It does not depend on MCP.
 */
import { HubError } from '../base/hub-error.ts'
import type { ApprovalOutcome, ApprovalRequest, HeldCall } from '../api/approval.ts'
import { messageOf } from '../base/hub-error.ts'
import type { CallRecord, EventLog } from '../events/events.ts'
import { openCallRecord } from '../events/events.ts'
import type { PolicyCall, Verdict } from '../policy/policy.ts'
import type {
  Authorized,
  CallPlace,
  Decided,
  Failed,
  Gate,
  GateRequest,
  Pending,
  Reasons,
  Refused,
} from './authorization.ts'
import { createPassedRounds } from './passed-rounds.ts'
import { recordedCall, recordedDecision } from './recorded-call.ts'

export type { Authorized, CallEnding, Gate, GateRequest, Refused } from './authorization.ts'
export { createChainPolicies } from './chain-policies.ts'
export { createOfferedTools } from './offered-tools.ts'
export { createOwnNetwork } from './own-network.ts'
export { createOwnToolGates } from './own-tool-gate.ts'
export { refusalText } from './refusal-text.ts'
export type { ChainMember, Turn, Turns } from './turn.ts'
export { createTurns } from './turns.ts'

export interface GateOptions {
  readonly events: EventLog
  readonly policies: { decide(session: string, call: PolicyCall): Promise<Verdict> }
  /** Without them, no session works on a prompt. */
  readonly turns?: { placeOf(session: string): CallPlace | undefined }
  readonly approvals: { obtain(request: ApprovalRequest, call: HeldCall): Promise<ApprovalOutcome> }
}

/** `decision`: the second decision, if the policy was evaluated again after a person approved. */
type Ruling = (Allowed | Refused | Pending) & { readonly decision?: Decided }

interface Allowed {
  readonly status: 'allowed'
  readonly approval?: string
}

export function createGate({ events, policies, approvals, turns }: GateOptions): Gate {
  const rounds = createPassedRounds()

  async function decide(request: GateRequest): Promise<Decided> {
    try {
      return await policies.decide(request.session, request)
    } catch (error) {
      // If the policy cannot be evaluated, the call does not run.
      return { failure: messageOf(error) }
    }
  }

  async function askPerson(request: GateRequest, verdict: Verdict, record: CallRecord): Promise<Ruling> {
    try {
      const outcome = await approvals.obtain(approvalRequest(request, verdict, record.event), request)
      const { status, id: approval } = outcome
      switch (status) {
        case 'pending':
          return { status, approval }
        case 'approved':
          await request.onApproved?.()
          return await askPolicyAgain(request, approval)
        case 'denied':
        case 'aborted':
        case 'expired':
        case 'abandoned': {
          const { reason } = outcome
          return { by: 'person', status, ...reasonsOf(verdict), ...(reason !== undefined && { reason }), approval }
        }
      }
    } catch (error) {
      record.end({ outcome: request.signal.aborted ? 'cancelled' : 'failed', error })
      throw error
    }
  }

  /** An approval answers `ask`. If the policy forbids the call by now, it does not run. */
  async function askPolicyAgain(request: GateRequest, approval: string): Promise<Ruling> {
    const decision = await decide(request)
    const refused = hasFailed(decision) ? evaluationFailed(decision) : refusalBy(decision)
    return refused ? { ...refused, approval, decision } : { status: 'allowed', approval }
  }

  async function rule(request: GateRequest, decided: Decided, hasPassed: boolean, record: CallRecord): Promise<Ruling> {
    if (hasFailed(decided)) return evaluationFailed(decided)
    const refused = refusalBy(decided)
    if (refused) return refused
    if (decided.effect === 'allow' || hasPassed) return { status: 'allowed' }
    if (request.mayAsk ?? true) return askPerson(request, decided, record)
    return {
      by: 'policy',
      status: 'denied',
      ...reasonsOf(decided),
      reason: 'it needs an approval, and this request cannot wait for one',
    }
  }

  function authorized(
    request: GateRequest,
    record: CallRecord,
    { approval, isRuled }: Allowed & Pick<Authorized, 'isRuled'>,
    state: unknown,
  ): Authorized {
    const how = approval === undefined ? {} : { approval }
    return {
      status: 'allowed',
      isRuled,
      event: record.event,
      state,
      end: endWith(record, how),
      suspend(inner) {
        record.end({ outcome: 'input-required', ...how })
        return rounds.leave(request, record.event, inner)
      },
    }
  }

  return {
    placeOf: (session) => turns?.placeOf(session),
    async authorize(request) {
      const round = request.state === undefined ? undefined : rounds.comeBack(request, request.state)
      // Decide in each round: the policy may have changed while the client was asked.
      const decided = orAllowed(await decide(request), request)
      const record = await openCallRecord(events, recordedCall(request, decided), round?.event)
      const { decision, ...ruling } = await rule(request, decided, round?.event !== undefined, record)
      const { status, approval } = ruling
      const how = {
        ...(approval !== undefined && { approval }),
        ...(decision && { decision: recordedDecision(decision) }),
      }
      if (status === 'pending') {
        record.end({ outcome: 'waiting', ...how })
        return ruling
      }
      if (status !== 'allowed') {
        record.end({ outcome: status, ...how })
        return ruling
      }
      if (!request.signal.aborted) {
        const isRuled = approval !== undefined || hasMatched(decided)
        return authorized(request, record, { ...ruling, isRuled }, round?.inner)
      }
      record.end({
        outcome: 'cancelled',
        error: new HubError('conflict', 'The call was cancelled before it ran.'),
        ...how,
      })
      return { status: 'cancelled' }
    },
  }
}

/** On its own, so that the end of a call that runs for long does not keep its arguments in memory. */
function endWith(record: CallRecord, how: Pick<Allowed, 'approval'>): Authorized['end'] {
  return (ending) => record.end({ ...ending, ...how })
}

/** `undefined`: the policy does not forbid the call. */
function refusalBy(verdict: Verdict): Refused | undefined {
  switch (verdict.effect) {
    case 'deny':
      return { by: 'policy', status: 'denied', ...reasonsOf(verdict) }
    case 'abort':
      return { by: 'policy', status: 'aborted', ...reasonsOf(verdict) }
    case 'allow':
    case 'ask':
      return undefined
  }
}

function evaluationFailed({ failure }: Failed): Refused {
  return { by: 'policy', status: 'failed', reason: failure }
}

/** A rule or a grant matched the call. */
function hasMatched(decided: Decided): boolean {
  return !hasFailed(decided) && (decided.rule !== undefined || decided.grant !== undefined)
}

function hasFailed(decided: Decided): decided is Failed {
  return 'failure' in decided
}

function orAllowed(decided: Decided, { isAllowedUnlessRuled = false }: GateRequest): Decided {
  if (hasFailed(decided)) return decided
  const isByDefault = decided.effect === 'ask' && decided.rule === undefined
  return isByDefault && isAllowedUnlessRuled ? { ...decided, effect: 'allow' } : decided
}

function reasonsOf({ rule, reason, policyVersion }: Verdict): Reasons {
  return { ...(rule !== undefined && { rule }), ...(reason !== undefined && { reason }), policyVersion }
}

function approvalRequest(request: GateRequest, verdict: Verdict, parent: string): ApprovalRequest {
  const { session, tool, arguments: args, correlation } = request
  const { rule, reason, policyVersion } = verdict
  return { session, tool, arguments: args, rule, reason, policyVersion, correlation, parent }
}
