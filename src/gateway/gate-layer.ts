/** Puts the gate around every operation of a compositor, and translates between MCP and the gate. */
import { jsonSize } from '../base/json-size.ts'
import type { Authorized, Gate, GateRequest } from '../gate/gate.ts'
import type { Call, CallToolResult, Layer, Next, Operation } from '../mcp/mcp.ts'
import {
  errorCode,
  inputRequired,
  isInputRequired,
  isRecord,
  metaOf,
  noCompletion,
  RpcError,
  toolError,
  traceContextOf,
} from '../mcp/mcp.ts'
import { policyNames } from './names.ts'
import { refusalError, waitingError, waitingText, withoutReservedCode } from './policy-errors.ts'
import { withoutWire } from './wire-params.ts'

const correlationKey = 'io.signalbox/correlation'
const approvalKey = 'io.signalbox/approval'

export function createGateLayer(gate: Gate): Layer {
  return async (operation, given, next) => {
    const question = questionOf(operation, given)
    if (!question) return next()
    const place = gate.placeOf(given.caller.session!)
    const call = place ? given.with({ correlation: place.correlation }) : given
    const authorization = await gate.authorize({ ...question, ...askerOf(call), ...place })
    switch (authorization.status) {
      case 'allowed': {
        const result = await run(next, authorizedCall(call, authorization), authorization, question.tool)
        const isRelayedTool = operation.kind === 'tool' && question.upstream !== undefined
        return isRelayedTool ? withCorrelation(result, call) : result
      }
      case 'pending':
        return waitingAnswer(operation, question.tool, authorization.approval, call)
      case 'cancelled':
        throw new RpcError(errorCode.cancelled, 'The call was cancelled before it ran.')
      case 'denied':
      case 'aborted':
      case 'expired':
      case 'abandoned':
      case 'failed':
        if (operation.kind === 'complete' && authorization.status === 'denied') return noCompletion
        throw refusalError(authorization, question.tool, call.correlation)
    }
  }
}

type Question = Omit<GateRequest, keyof ReturnType<typeof askerOf>>

/** The question to the policy. `undefined`: there is none, because the operation is the hub's own. */
function questionOf(operation: Operation, call: Call): Question | undefined {
  if (operation.kind === 'tool') {
    const { tool, arguments: args } = operation
    // The gate decides the tool that this one calls.
    if (tool.isPassThrough) return undefined
    const names = policyNames(tool)
    const { route, upstream } = tool.subject ?? {}
    const onHeld = (approval: string) => call.answerIfLost(waitingResult(names.tool, approval))
    return { ...names, arguments: args, unrecorded: tool.unrecorded, route, upstream, onHeld }
  }
  const { subject } = operation
  if (!subject) return undefined
  switch (operation.kind) {
    case 'read':
    case 'request':
      return { ...subject, arguments: withoutWire(operation.params) }
    case 'prompt':
      // A person bound the connector, and some clients fetch every prompt at start, so the default does not ask for
      // each.
      return { ...subject, arguments: withoutWire(operation.params), isAllowedUnlessRuled: true }
    case 'complete':
    case 'notify':
      // A completion runs at each keystroke, and a notification has no answer, so neither can wait for a person.
      return { ...subject, arguments: withoutWire(operation.params), mayAsk: false }
    case 'subscribe':
      return { ...subject, arguments: { uri: operation.uri }, mayAsk: operation.mayAsk }
  }
}

/** Describes the caller, and how to reach it while it waits. */
function askerOf(call: Call) {
  const { correlation, caller, client, signal, state } = call
  return {
    session: caller.session!,
    caller,
    clientName: client.info?.name,
    callerSpan: traceContextOf(metaOf(call.params))?.spanId,
    correlation,
    signal,
    state,
    progress: (step: { progress: number; message?: string }) => call.progress(step),
    // From here on the call runs. If the hub dies now, the client must not read that it did not run.
    onApproved: () => call.answerIfLost(undefined),
    onAway: call.onAway,
  }
}

/** Copies the call only if something changes: most calls are relayed. */
function authorizedCall(call: Call, { event, state }: Authorized): Call {
  return call.with({ event, ...(call.state !== undefined && { state }) })
}

async function run(next: Next, call: Call, authorized: Authorized, tool: string): Promise<object> {
  let result: object
  try {
    result = await next(call)
  } catch (thrown) {
    const error = withoutReservedCode(thrown, tool)
    authorized.end({ outcome: call.signal.aborted ? 'cancelled' : 'failed', error })
    throw error
  }
  if (isInputRequired(result)) return { ...result, state: authorized.suspend(result.state) }
  const outcome = 'isError' in result && result.isError === true ? 'error' : 'ok'
  authorized.end({ outcome, bytes: jsonSize(result) })
  return result
}

/** Adds the correlation, so that a reader of the result can find its trace. */
function withCorrelation<Result extends object>(result: Result, { correlation }: Call): Result {
  if (isInputRequired(result)) return result
  const meta = '_meta' in result && isRecord(result._meta) ? result._meta : {}
  return { ...result, _meta: { ...meta, [correlationKey]: correlation } }
}

/** Not answered yet. At 2026-07-28 a client that gets a state and no question simply sends the call again with it. */
function waitingAnswer({ kind }: Operation, tool: string, approval: string, { client }: Call): object {
  const mayComeBack = kind === 'tool' || kind === 'read' || kind === 'prompt'
  if (mayComeBack && client.era === 'modern') return inputRequired(undefined, { waiting: approval })
  if (kind === 'tool') return waitingResult(tool, approval)
  throw waitingError(tool, approval)
}

function waitingResult(tool: string, approval: string): CallToolResult {
  return { ...toolError(waitingText(tool, approval)), _meta: { [approvalKey]: approval } }
}
