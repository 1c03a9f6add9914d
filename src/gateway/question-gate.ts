/**
 * Puts the gate before the questions that upstreams send to clients of a session. Each question is checked, counted,
 * decided like a call of the agent, and marked with the name of its connector.
 */
import type { MountAction } from '../api/policy-names.ts'
import { actionPolicyName } from '../api/policy-names.ts'
import { isWebAddress } from '../base/web-address.ts'
import type { CallEnding, Gate, Refused } from '../gate/gate.ts'
import type { Call, InputRequest, Params } from '../mcp/mcp.ts'
import { errorCode, metaOf, RpcError } from '../mcp/mcp.ts'
import { refusalError } from './policy-errors.ts'
import { createRateLimit } from './rate-limit.ts'
import { withoutWire } from './wire-params.ts'

export interface QuestionGate {
  ofMount(place: MountPlace): MountQuestions
}

export interface MountQuestions {
  /** Throws if the question must not reach a client. `signal`: the question is no longer open. */
  authorize(question: InputRequest, call: Call, signal: AbortSignal): Promise<AuthorizedQuestion>
}

export interface AuthorizedQuestion {
  /** As the client gets it. */
  readonly question: InputRequest
  /** Records how it ended. */
  end(ending: CallEnding): void
}

interface MountPlace {
  readonly mount: string
  readonly connector: string
  readonly route: string
}

/** The policy or a person refused the question. Only the agent may see why. */
export class RefusedQuestion extends RpcError {
  readonly forAgent: RpcError

  constructor(refused: Refused, tool: string, correlation: string) {
    // MCP names this code for a person who refuses.
    super(-1, `${tool} was not allowed.`)
    this.forAgent = refusalError(refused, tool, correlation)
  }
}

/** At once and in a minute. Withdrawn questions count. */
const limits = { messages: { most: 120, perSecond: 2 }, bytes: { most: 8 * 1024 * 1024, perSecond: 128 * 1024 } }
/** A question waits for an approval as long as its call runs. The approval expires earlier. */
const holdMs = 86_400_000
const connectorKey = 'io.signalbox/connector'

/** Roots are not judged: they name directories that the upstream gets anyway, and no person or model is asked. */
const actions: Readonly<Record<InputRequest['method'], MountAction | undefined>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': undefined,
}

/** `session`: its id. */
export function createQuestionGate(gate: Gate, session: string): QuestionGate {
  return { ofMount: (place) => createMountQuestions(gate, session, place) }
}

function createMountQuestions(gate: Gate, session: string, { mount, connector, route }: MountPlace): MountQuestions {
  const mayPass = createRateLimit(limits)

  return {
    async authorize(question, call, signal) {
      const { method, params = {} } = question
      if (method === 'elicitation/create') checkElicitation(params)
      if (!mayPass(question)) throw tooMany()
      const action = actions[method]
      if (action === undefined) return { question, end() {} }
      const tool = actionPolicyName(mount, action)
      const authorization = await gate.authorize({
        session,
        tool,
        arguments: withoutWire(params),
        route,
        upstream: connector,
        correlation: call.correlation,
        parent: call.event,
        thread: gate.placeOf(session)?.thread,
        signal,
        holdMs,
        progress: (step) => call.progress(step),
      })
      switch (authorization.status) {
        case 'allowed':
          return { question: markedBy(connector, question), end: (ending) => authorization.end(ending) }
        case 'pending':
          throw new RpcError(errorCode.unavailable, `No person approved ${tool} in time.`)
        case 'cancelled':
          throw new RpcError(errorCode.cancelled, 'The question was withdrawn.')
        case 'denied':
        case 'aborted':
        case 'expired':
        case 'abandoned':
        case 'failed':
          throw new RefusedQuestion(authorization, tool, call.correlation)
      }
    },
  }
}

function checkElicitation({ mode = 'form', message, url }: Params): void {
  if (mode !== 'form' && mode !== 'url') throw invalid('"mode" must be "form" or "url"')
  if (typeof message !== 'string') throw invalid('"message" must be text')
  if ((mode === 'url' || url !== undefined) && !isWebAddress(url)) {
    throw invalid('"url" must be an http:// or https:// address')
  }
}

function invalid(what: string): RpcError {
  return new RpcError(errorCode.invalidParams, `The elicitation is not passed on: ${what}.`)
}

function tooMany(): RpcError {
  return new RpcError(
    errorCode.busy,
    `Too many questions: a session gets ${limits.messages.perSecond * 60} in a minute and ${limits.messages.most} at once, ` +
      `with ${limits.bytes.most / 1024 / 1024} MiB. Withdrawn questions count.`,
  )
}

/** The person reads the name before the message. A prompt for a model is not changed, so its `_meta` has the name. */
function markedBy(connector: string, { method, params = {} }: InputRequest): InputRequest {
  const _meta = { ...metaOf(params), [connectorKey]: connector }
  const message = method === 'elicitation/create' && {
    message: `[connector ${connector}] ${String(params['message'])}`,
  }
  return { method, params: { ...params, ...message, _meta } }
}
