/**
 * The gate every call of an agent goes through: decided once, recorded with the decision, perhaps answered by a person,
 * then run, and recorded again.
 */
import { effects } from '../api/policy.ts'
import { digestOf } from '../base/call-digest.ts'
import { messageOf } from '../base/hub-error.ts'
import { recordedArguments } from '../base/recorded-arguments.ts'
import type { EventLog } from '../events/events.ts'
import type { Call, InputRequired, Layer } from '../mcp/mcp.ts'
import { errorCode, inputRequired, isInputRequired, isRecord, RpcError, toolError } from '../mcp/mcp.ts'
import type { PolicyCall, Verdict } from '../policy/policy.ts'
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
  /** The name that the agent sees, where it is another. */
  readonly alias?: string | undefined
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
}

export type ApprovalOutcome =
  | { readonly is: 'approved'; readonly id: string }
  | { readonly is: 'denied' | 'aborted' | 'expired' | 'abandoned'; readonly id: string; readonly reason?: string }
  | { readonly is: 'waiting'; readonly id: string }

/** What a call that was let through leaves with its client while the client is asked something. */
interface PassedState {
  readonly passed: { readonly event: string; readonly digest: string; readonly inner: unknown }
}

export function createGate({ events, decide, obtain }: GateOptions): Gate {
  /** A rule that names what the agent sees may forbid it as well; to allow something it has to name the tool itself. */
  async function judge(session: string, request: GateRequest): Promise<Verdict> {
    const verdict = await decide(session, request)
    if (request.alias === undefined) return verdict
    const ofAlias = await decide(session, { tool: request.alias, arguments: request.arguments })
    const isStricter = effects.indexOf(ofAlias.effect) > effects.indexOf(verdict.effect)
    return isStricter && ofAlias.rule !== undefined ? ofAlias : verdict
  }

  return {
    async pass(request, call, run) {
      const session = call.caller.session!
      const passed = passedState(call.state, request)
      const common = { correlation: call.correlation, session, ...(request.route && { route: request.route }) }
      const startedAt = performance.now()
      let parent = passed?.event
      const record = (outcome: Record<string, unknown>) =>
        events.append({
          ...common,
          type: 'tool-answered',
          parent: parent!,
          payload: { tool: request.tool, ms: Math.round((performance.now() - startedAt) * 1000) / 1000, ...outcome },
        })

      let approval: string | undefined
      if (passed === undefined) {
        const verdict = await judge(session, request).catch(failed)
        const requested = await events.append({
          ...common,
          type: 'tool-called',
          payload: requestPayload(request, verdict, call),
        })
        parent = requested.id
        if ('failure' in verdict) {
          await record({ outcome: 'failed', error: verdict.failure })
          throw policyError('failed', request.tool, { reason: verdict.failure })
        }
        if (verdict.effect === 'deny' || verdict.effect === 'abort') {
          await record({ outcome: verdict.effect === 'deny' ? 'denied' : 'aborted' })
          throw policyError(verdict.effect, request.tool, verdict)
        }
        if (verdict.effect === 'ask' && request.mayAsk === false) {
          await record({ outcome: 'denied' })
          throw policyError('deny', request.tool, { ...verdict, reason: 'a person would have to be asked first' })
        }
        if (verdict.effect === 'ask') {
          const outcome = await obtain(approvalRequest(request, verdict, session, call), call).catch(
            async (error: unknown) => {
              await record({ outcome: call.signal.aborted ? 'cancelled' : 'failed', error })
              throw error
            },
          )
          approval = outcome.id
          if (outcome.is === 'waiting') {
            await record({ outcome: 'waiting', approval })
            return new Waiting(approval, request.tool)
          }
          if (outcome.is !== 'approved') {
            await record({ outcome: outcome.is, approval })
            throw policyError(outcome.is, request.tool, { ...verdict, ...outcome })
          }
        }
      }

      const told = approval === undefined ? {} : { approval }
      try {
        if (call.signal.aborted) throw new RpcError(errorCode.cancelled, 'The call was cancelled before it ran.')
        const result = await run(call.with({ state: passed?.inner }))
        if (isInputRequired(result)) {
          await record({ outcome: 'input-required', ...told })
          const state: PassedState = { passed: { event: parent!, digest: digestOf(request), inner: result.state } }
          return { ...result, state }
        }
        const outcome = 'isError' in result && result.isError === true ? 'error' : 'ok'
        await record({ outcome, bytes: Buffer.byteLength(JSON.stringify(result)), ...told })
        return result
      } catch (thrown) {
        const error = withoutReservedCode(thrown, request.tool)
        await record({ outcome: call.signal.aborted ? 'cancelled' : 'failed', error, ...told })
        throw error
      }
    },
  }
}

/** For the tools of a compositor. */
export function createGateLayer(gate: Gate): Layer {
  return async (tool, args, call, next) => {
    const { policyName = tool.name, unrecorded, route, upstream } = tool
    if (tool.isPassage) return next()
    const alias = upstream !== undefined && policyName !== tool.name ? tool.name : undefined
    const request = { tool: policyName, alias, arguments: args, unrecorded, route, upstream }
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

const correlationKey = 'io.signalbox/correlation'
const approvalKey = 'io.signalbox/approval'

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

function passedState(state: unknown, request: PolicyCall): PassedState['passed'] | undefined {
  const passed = isRecord(state) ? (state['passed'] as PassedState['passed'] | undefined) : undefined
  // With other arguments it is another call.
  return passed && passed.digest === digestOf(request) ? passed : undefined
}

interface Failed {
  readonly failure: string
}

/** Whatever keeps a policy from being evaluated, the call does not run. */
function failed(error: unknown): Failed {
  return { failure: messageOf(error) }
}

function requestPayload(request: GateRequest, verdict: Verdict | Failed, { caller, client }: Call) {
  const { tool, unrecorded, upstream } = request
  return {
    tool,
    arguments: recordedArguments(request.arguments, unrecorded),
    decision: 'failure' in verdict ? { effect: 'deny', reason: verdict.failure } : wireVerdict(verdict),
    role: caller.role,
    token_id: caller.tokenId,
    ...(client.info && { client: client.info.name }),
    ...(upstream !== undefined && { upstream }),
  }
}

function wireVerdict({ policyVersion, ...verdict }: Verdict) {
  return { ...verdict, policy_version: policyVersion }
}

function approvalRequest(request: GateRequest, verdict: Verdict, session: string, call: Call): ApprovalRequest {
  const { rule, reason, policyVersion } = verdict
  return {
    session,
    tool: request.tool,
    arguments: request.arguments,
    ...(rule !== undefined && { rule }),
    ...(reason !== undefined && { reason }),
    policyVersion,
    correlation: call.correlation,
  }
}
