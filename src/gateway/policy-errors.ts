/** The errors of the gate. Their codes are reserved: an upstream may not use them. */
import { policyErrorCodes as policyCode } from '../api/policy-errors.ts'
import type { Refused } from '../gate/gate.ts'
import { refusalText } from '../gate/gate.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'

/** Marks our own errors. An upstream may send an error with the same code. */
class PolicyError extends RpcError {}

export function refusalError(refused: Refused, tool: string, correlation: string): RpcError {
  const { rule, reason, policyVersion, approval } = refused
  const data = {
    tool,
    decision: decisionOf(refused),
    ...(rule !== undefined && { rule }),
    ...(reason !== undefined && { reason }),
    ...(policyVersion !== undefined && { policy_version: policyVersion }),
    ...(approval !== undefined && { approval }),
    correlation,
  }
  return new PolicyError(codeOf(refused), refusalText(refused, tool), { data })
}

function codeOf({ status }: Refused): number {
  switch (status) {
    case 'denied':
    case 'expired':
      return policyCode.deny
    case 'aborted':
      return policyCode.abort
    case 'abandoned':
      return errorCode.cancelled
    case 'failed':
      return policyCode.failed
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
