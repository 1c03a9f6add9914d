/**
 * The gate every call of an agent goes through: decided, recorded with the decision, perhaps answered by a person, then
 * run, and recorded again.
 */
import { messageOf } from '../base/hub-error.ts'
import type { EventLog } from '../events/events.ts'
import type { Call, InputRequired } from '../mcp/mcp.ts'
import { errorCode, isInputRequired, RpcError } from '../mcp/mcp.ts'
import type { PolicyCall, Verdict } from '../policy/policy.ts'
import type { CallRecord, Outcome } from './call-record.ts'
import { openCallRecord } from './call-record.ts'
import { createPassedRounds } from './passed-rounds.ts'
import { policyError, withoutReservedCode } from './policy-errors.ts'

export interface Gate {
  /** Runs it if it may be run; whatever keeps it from running is thrown, or is what the caller gets. */
  pass<Result extends object>(
    request: GateRequest,
    call: Call,
    run: (call: Call) => Promise<Result | InputRequired>,
  ): Promise<Result | InputRequired | Waiting>
}

export interface GateRequest extends PolicyCall {
  /** Arguments that no event keeps. */
  readonly unrecorded?: readonly string[] | undefined
  /** Where it is answered, such as `mcp:stdio`. */
  readonly route?: string | undefined
  readonly upstream?: string | undefined
  /** False: nobody waits for a person here, so what would have to be asked is denied. */
  readonly mayAsk?: boolean
}

/** The hold has ended before a person answered. */
export class Waiting {
  readonly approval: string
  readonly tool: string
  readonly message: string

  constructor(approval: string, tool: string) {
    this.approval = approval
    this.tool = tool
    this.message =
      `Waiting for approval ${approval}: a person has been asked whether ${tool} may run with these arguments. ` +
      'It has not run. Make the same call again to pick up the answer.'
  }
}

export interface GateOptions {
  readonly events: EventLog
  readonly decide: (session: string, call: PolicyCall) => Promise<Verdict>
  readonly obtain: (request: ApprovalRequest, call: Pick<Call, 'signal' | 'progress'>) => Promise<ApprovalOutcome>
}

export interface ApprovalRequest extends PolicyCall {
  readonly session: string
  readonly rule?: string
  readonly reason?: string
  readonly policyVersion: string
  readonly correlation: string
  /** The event of the call that is asked about. */
  readonly parent: string
}

export type ApprovalOutcome =
  | { readonly is: 'approved'; readonly id: string }
  | { readonly is: 'denied' | 'aborted' | 'expired' | 'abandoned'; readonly id: string; readonly reason?: string }
  | { readonly is: 'waiting'; readonly id: string }

/** The policy could not be evaluated. */
export interface Failed {
  readonly failure: string
}

/** What let a call through. */
type Admission = { readonly approval?: string } | Waiting

export function createGate({ events, decide, obtain }: GateOptions): Gate {
  const rounds = createPassedRounds()

  async function admit(
    request: GateRequest,
    call: Call,
    { verdict, record, hasPassed }: { verdict: Verdict | Failed; record: CallRecord; hasPassed: boolean },
  ): Promise<Admission> {
    const { tool, mayAsk = true } = request
    const { correlation } = call
    if ('failure' in verdict) {
      return refuse(record, 'failed', policyError('failed', tool, { reason: verdict.failure, correlation }))
    }
    const why = { ...verdict, correlation }
    switch (verdict.effect) {
      case 'allow':
        return {}
      case 'deny':
        return refuse(record, 'denied', policyError('deny', tool, why))
      case 'abort':
        return refuse(record, 'aborted', policyError('abort', tool, why))
      case 'ask': {
        if (hasPassed) return {}
        if (mayAsk) return askPerson(request, call, verdict, record)
        const reason = 'a person would have to be asked first'
        return refuse(record, 'denied', policyError('deny', tool, { ...why, reason }))
      }
    }
  }

  async function askPerson(request: GateRequest, call: Call, verdict: Verdict, record: CallRecord): Promise<Admission> {
    const { tool } = request
    const { signal, correlation } = call
    const outcome = await obtain(approvalRequest(request, verdict, call, record.event), call).catch(
      async (error: unknown) => {
        await record.end({ outcome: signal.aborted ? 'cancelled' : 'failed', error })
        throw error
      },
    )
    const { is, id: approval } = outcome
    if (is === 'approved') return admitApproved(request, call, record, approval)
    if (is !== 'waiting') {
      return refuse(record, is, policyError(is, tool, { ...verdict, ...outcome, correlation }), { approval })
    }
    await record.end({ outcome: 'waiting', approval })
    return new Waiting(approval, tool)
  }

  /** A yes answers `ask`. What the policy has come to forbid while the person thought does not run. */
  async function admitApproved(
    request: GateRequest,
    call: Call,
    record: CallRecord,
    approval: string,
  ): Promise<Admission> {
    const { tool } = request
    const { correlation } = call
    const verdict = await decide(call.caller.session!, request).catch(failed)
    const how = { approval, decision: verdict }
    if ('failure' in verdict) {
      return refuse(record, 'failed', policyError('failed', tool, { reason: verdict.failure, correlation }), how)
    }
    const { effect } = verdict
    if (effect === 'allow' || effect === 'ask') return { approval }
    const outcome = effect === 'deny' ? 'denied' : 'aborted'
    return refuse(record, outcome, policyError(effect, tool, { ...verdict, id: approval, correlation }), how)
  }

  return {
    async pass(request, call, run) {
      const round = call.state === undefined ? undefined : rounds.comeBack(request, call.state)
      // Each time it comes: the policy may have changed while the client was asked.
      const verdict = await decide(call.caller.session!, request).catch(failed)
      const record = await openCallRecord(events, request, call, { verdict, goesOnFrom: round?.event })
      const admission = await admit(request, call, { verdict, record, hasPassed: round?.event !== undefined })
      if (admission instanceof Waiting) return admission
      try {
        if (call.signal.aborted) throw new RpcError(errorCode.cancelled, 'The call was cancelled before it ran.')
        const result = await run(call.state === undefined ? call : call.with({ state: round?.inner }))
        if (isInputRequired(result)) {
          await record.end({ outcome: 'input-required', ...admission })
          return { ...result, state: rounds.leave(request, record.event, result.state) }
        }
        const outcome = 'isError' in result && result.isError === true ? 'error' : 'ok'
        await record.end({ outcome, bytes: Buffer.byteLength(JSON.stringify(result)), ...admission })
        return result
      } catch (thrown) {
        const error = withoutReservedCode(thrown, request.tool)
        await record.end({ outcome: call.signal.aborted ? 'cancelled' : 'failed', error, ...admission })
        throw error
      }
    },
  }
}

async function refuse(
  record: CallRecord,
  outcome: string,
  error: RpcError,
  how: Pick<Outcome, 'approval' | 'decision'> = {},
): Promise<never> {
  await record.end({ outcome, ...how })
  throw error
}

/** Whatever keeps a policy from being evaluated, the call does not run. */
function failed(error: unknown): Failed {
  return { failure: messageOf(error) }
}

function approvalRequest(request: GateRequest, verdict: Verdict, call: Call, parent: string): ApprovalRequest {
  const { rule, reason, policyVersion } = verdict
  return {
    session: call.caller.session!,
    tool: request.tool,
    arguments: request.arguments,
    ...(rule !== undefined && { rule }),
    ...(reason !== undefined && { reason }),
    policyVersion,
    correlation: call.correlation,
    parent,
  }
}
