/** The gate around the tools of a compositor, and what callers get while a person has not answered yet. */
import type { Call, InputRequired, Layer } from '../mcp/mcp.ts'
import { inputRequired, isInputRequired, isRecord, toolError } from '../mcp/mcp.ts'
import type { Gate } from './gate.ts'
import { Waiting } from './gate.ts'
import { policyNames } from './names.ts'
import { policyError } from './policy-errors.ts'

const correlationKey = 'io.signalbox/correlation'
const approvalKey = 'io.signalbox/approval'

export function createGateLayer(gate: Gate): Layer {
  return async (tool, args, call, next) => {
    const { unrecorded, route, upstream } = tool
    if (tool.isPassage) return next()
    const request = { ...policyNames(tool), arguments: args, unrecorded, route, upstream }
    const result = await gate.pass(request, call, next)
    if (!(result instanceof Waiting)) return upstream === undefined ? result : withCorrelation(result, call)
    return waitingResult(result, call) ?? { ...toolError(result.message), _meta: { [approvalKey]: result.approval } }
  }
}

/** So that whoever sees the result can find its trace. */
function withCorrelation<Result extends object>(result: Result, { correlation }: Call): Result {
  if (isInputRequired(result)) return result
  const meta = '_meta' in result && isRecord(result._meta) ? result._meta : {}
  return { ...result, _meta: { ...meta, [correlationKey]: correlation } }
}

/** On 2026-07-28 a client that gets a state and no question simply comes back with it. */
function waitingResult({ approval }: Waiting, { client }: Call): InputRequired | undefined {
  return client.era === 'modern' ? inputRequired(undefined, { waiting: approval }) : undefined
}

/** For methods that may come back with something to wait for. */
export function orWaitingResult<Result extends object>(result: Result | Waiting, call: Call): Result | InputRequired {
  const waiting = result instanceof Waiting ? waitingResult(result, call) : undefined
  return waiting ?? orWaitingError(result)
}

/** For all others: there is no result that could say "wait", so an error does. */
export function orWaitingError<Result extends object>(result: Result | Waiting): Result {
  if (!(result instanceof Waiting)) return result
  throw policyError('waiting', result.tool, { reason: result.message, id: result.approval })
}
