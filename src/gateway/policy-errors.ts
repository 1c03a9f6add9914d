/** The errors of the gate (DESIGN, "Policy and approvals"). Their numbers are reserved: an upstream may not use them. */
import { policyErrorCodes as policyCode } from '../api/policy-errors.ts'
import { errorCode, RpcError } from '../mcp/mcp.ts'

/** Ours, unlike an error with such a number that comes from an upstream. */
class PolicyError extends RpcError {}

type Refusal = 'deny' | 'abort' | 'failed' | 'denied' | 'aborted' | 'expired' | 'abandoned' | 'waiting'

interface Why {
  readonly rule?: string
  readonly reason?: string
  readonly policyVersion?: string
  /** Of the approval. */
  readonly id?: string
  /** Under which the record has it. */
  readonly correlation?: string
}

export function policyError(refusal: Refusal, tool: string, why: Why): RpcError {
  const { rule, reason, policyVersion, id, correlation } = why
  const because = reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`
  const data = {
    tool,
    decision: refusal,
    ...(rule !== undefined && { rule }),
    ...(reason !== undefined && { reason }),
    ...(policyVersion !== undefined && { policy_version: policyVersion }),
    ...(id !== undefined && { approval: id }),
    ...(correlation !== undefined && { correlation }),
  }
  switch (refusal) {
    case 'deny':
      return new PolicyError(policyCode.deny, `The policy denies ${tool}${because}. Go on without it.`, { data })
    case 'abort':
      return new PolicyError(policyCode.abort, `The policy forbids ${tool}${because}. End your turn.`, { data })
    case 'denied':
      return new PolicyError(policyCode.deny, `A person denied ${tool}${because}. Go on without it.`, { data })
    case 'aborted':
      return new PolicyError(policyCode.abort, `A person stopped ${tool}${because}. End your turn.`, { data })
    case 'expired':
      return new PolicyError(policyCode.deny, `Nobody approved ${tool} in time, so it is denied.`, { data })
    case 'abandoned':
      return new PolicyError(
        errorCode.cancelled,
        `The question whether ${tool} may run was abandoned; it has not run.`,
        {
          data,
        },
      )
    case 'waiting':
      return new PolicyError(errorCode.unavailable, reason ?? 'Waiting for approval.', { data })
    case 'failed':
      return new PolicyError(
        policyCode.failed,
        `The policy could not be evaluated for ${tool}${because}. It has not run.`,
        {
          data,
        },
      )
  }
}

const reserved: ReadonlySet<number> = new Set(Object.values(policyCode))

/** The policy has spoken, or a person has: not an upstream. */
export function isOfPolicy(error: unknown): boolean {
  return error instanceof PolicyError && reserved.has(error.code)
}

export function isDenied(error: unknown): boolean {
  return error instanceof PolicyError && error.code === policyCode.deny
}

/** Else an upstream could make an agent believe that a person had spoken. */
export function withoutReservedCode(error: unknown, tool: string): unknown {
  if (!(error instanceof RpcError) || error instanceof PolicyError || !reserved.has(error.code)) return error
  return new RpcError(policyCode.misuse, `The upstream answered ${tool} with a code that is reserved for the policy.`, {
    data: { tool, backend_code: error.code },
  })
}
