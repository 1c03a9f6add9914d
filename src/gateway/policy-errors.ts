/** The errors of the gate. Their codes are reserved: an upstream may not use them. */
import { policyErrorCodes as policyCode } from '../api/policy-errors.ts'
import type { Refused } from '../gate/gate.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'

/** Marks our own errors. An upstream may send an error with the same code. */
class PolicyError extends RpcError {}

export function refusalError(refused: Refused, tool: string, correlation: string): RpcError {
  const { rule, reason, policyVersion, approval } = refused
  const because = reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`
  const data = {
    tool,
    decision: decisionOf(refused),
    ...(rule !== undefined && { rule }),
    ...(reason !== undefined && { reason }),
    ...(policyVersion !== undefined && { policy_version: policyVersion }),
    ...(approval !== undefined && { approval }),
    correlation,
  }
  const isByPolicy = refused.by === 'policy'
  switch (refused.status) {
    case 'denied': {
      const who = isByPolicy ? 'The policy denies' : 'A person denied'
      return new PolicyError(policyCode.deny, `${who} ${tool}${because}. Go on without it.`, { data })
    }
    case 'aborted': {
      const who = isByPolicy ? 'The policy forbids' : 'A person stopped'
      return new PolicyError(policyCode.abort, `${who} ${tool}${because}. End your turn.`, { data })
    }
    case 'expired':
      return new PolicyError(policyCode.deny, `No person approved ${tool} in time, so it is denied.`, { data })
    case 'abandoned': {
      const message = `The request for approval of ${tool} was abandoned. It has not run.`
      return new PolicyError(errorCode.cancelled, message, { data })
    }
    case 'failed': {
      const message = `The policy could not be evaluated for ${tool}${because}. It has not run.`
      return new PolicyError(policyCode.failed, message, { data })
    }
  }
}

/** On the wire, the policy's decision is an effect and a person's decision is a status. */
function decisionOf(refused: Refused): string {
  if (refused.by === 'person') return refused.status
  const effects = { denied: 'deny', aborted: 'abort', failed: 'failed' } as const
  return effects[refused.status]
}

/** For methods whose results cannot express "wait". */
export function waitingError(tool: string, approval: string): RpcError {
  const reason = waitingText(tool, approval)
  return new PolicyError(errorCode.unavailable, reason, { data: { tool, decision: 'waiting', reason, approval } })
}

export function waitingText(tool: string, approval: string): string {
  return (
    `Waiting for approval ${approval}: a person has been asked whether ${tool} may run with these arguments. ` +
    'It has not run. Make the same call again to pick up the answer.'
  )
}

const reserved: ReadonlySet<number> = new Set(Object.values(policyCode))

/** True if the error comes from the policy or a person, not from an upstream. */
export function isOfPolicy(error: unknown): boolean {
  return error instanceof PolicyError && reserved.has(error.code)
}

/** Otherwise an upstream could make an agent believe that a person had decided. */
export function withoutReservedCode(error: unknown, tool: string): unknown {
  if (!(error instanceof RpcError) || error instanceof PolicyError || !reserved.has(error.code)) return error
  return new RpcError(policyCode.misuse, `The upstream answered ${tool} with a code that is reserved for the policy.`, {
    data: { tool, backend_code: error.code },
  })
}
