/**
 * One request on its way to an upstream. When the upstream asks something in the middle of it, a legacy client is asked
 * there and then. On 2026-07-28 the caller is told what is needed, and the request waits here until it comes back.
 */
import { randomUUID } from 'node:crypto'
import type {
  AnyRequest,
  Call,
  InputRequest,
  InputRequired,
  Params,
  ProgressListener,
  Upstream,
  UpstreamRequest,
} from '../mcp/mcp.ts'
import {
  assertCapable,
  canBeAsked,
  errorCode,
  inputRequired,
  isRecord,
  metaOf,
  RpcError,
  withoutMeta,
} from '../mcp/mcp.ts'

export interface RelayedCalls {
  /** Begins, or goes on with what `call.state` names. */
  run(upstream: Pick<Upstream, 'request'>, request: RelayedRequest, call: Call): Promise<object | InputRequired>
}

export interface RelayedRequest {
  readonly method: string
  readonly params: Params
  /** Read-only or idempotent. */
  readonly isSafe: boolean
  readonly headers?: Readonly<Record<string, string>>
}

interface Relayed {
  readonly request: RelayedRequest
  readonly owner: string
  readonly outcome: Promise<object>
  readonly cancel: AbortController
  /** Who waits for it now; between two requests of its client nobody does. */
  call: Call | undefined
  /** What was said meanwhile, for the next who waits. */
  readonly missed: ((call: Call) => void)[]
  readonly questions: Map<string, Question>
  onQuestion: (() => void) | undefined
  timer: NodeJS.Timeout | undefined
}

interface Question {
  readonly request: InputRequest
  readonly answer: PromiseWithResolvers<object>
  isAsked: boolean
}

/** How long the upstream's question may wait for somebody to come back with an answer. */
const answerMs = 600_000
/** An agent that never comes back must not fill the hub: of those that wait for one token, the oldest go. */
const maxWaiting = 32
const maxMissed = 100

/** The methods whose answer may be a question, on 2026-07-28. */
export const mayAskBack: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get'])

export function createRelayedCalls(): RelayedCalls {
  const waiting = new Map<string, Relayed>()

  function begin(upstream: Pick<Upstream, 'request'>, request: RelayedRequest, call: Call): Relayed {
    const { method, params, isSafe, headers } = request
    const cancel = new AbortController()
    const options: UpstreamRequest = {
      signal: cancel.signal,
      client: call.client,
      isSafe,
      ...(headers && { headers }),
      ...(metaOf(call.params)['progressToken'] !== undefined && {
        onProgress: (step) => tell(relayed, (listener) => listener.progress(step as { progress: number })),
      }),
      onNotification: (name, told) => tell(relayed, (listener) => listener.passOn(name, told)),
      onAsk: (question, ...asking) => askFor(relayed, call, question, ...asking),
    }
    const outcome = upstream.request(method, params, options)
    outcome.catch(() => {})
    const relayed: Relayed = {
      request,
      owner: call.caller.tokenId,
      outcome,
      cancel,
      call,
      missed: [],
      questions: new Map(),
      onQuestion: undefined,
      timer: undefined,
    }
    return relayed
  }

  async function goOn(relayed: Relayed, call: Call): Promise<object | InputRequired> {
    relayed.call = call
    for (const say of relayed.missed.splice(0)) say(call)
    const leave = () => relayed.cancel.abort(call.signal.reason)
    if (call.signal.aborted) leave()
    call.signal.addEventListener('abort', leave, { once: true })
    try {
      const question = new Promise<typeof isAsked>((resolve) => {
        relayed.onQuestion = () => resolve(isAsked)
        if (relayed.questions.values().some((each) => !each.isAsked)) resolve(isAsked)
      })
      const result: unknown = await Promise.race([relayed.outcome, question])
      if (result !== isAsked) return fromUpstream(result, relayed.request, call)
    } finally {
      relayed.onQuestion = undefined
      relayed.call = undefined
      call.signal.removeEventListener('abort', leave)
    }
    return askBack(relayed)
  }

  function askBack(relayed: Relayed): InputRequired {
    // Of each round its own: what was answered is not answered again.
    const id = randomUUID()
    waiting.set(id, relayed)
    relayed.timer = setTimeout(() => giveUp(id, relayed), answerMs).unref()
    const own = [...waiting].filter(([, { owner }]) => owner === relayed.owner)
    for (const [oldest, other] of own.slice(0, -maxWaiting)) giveUp(oldest, other)
    for (const question of relayed.questions.values()) question.isAsked = true
    const questions = [...relayed.questions].map(([key, { request }]) => [key, request] as const)
    return inputRequired(Object.fromEntries(questions), { relayed: id })
  }

  function giveUp(id: string, relayed: Relayed): void {
    waiting.delete(id)
    clearTimeout(relayed.timer)
    relayed.cancel.abort()
  }

  function resume(id: string, call: Call): Promise<object | InputRequired> {
    const relayed = waiting.get(id)
    if (relayed?.owner !== call.caller.tokenId) {
      throw new RpcError(
        errorCode.unavailable,
        'The upstream no longer waits for this answer. Call again from the start.',
      )
    }
    waiting.delete(id)
    clearTimeout(relayed.timer)
    for (const [key, question] of relayed.questions) {
      const answer = call.answers[key]
      question.isAsked = isRecord(answer)
      if (!isRecord(answer)) continue
      relayed.questions.delete(key)
      question.answer.resolve(answer)
    }
    return goOn(relayed, call)
  }

  return {
    async run(upstream, request, call) {
      const state = isRecord(call.state) ? call.state : {}
      if (typeof state['relayed'] === 'string') return resume(state['relayed'], call)
      const params =
        'upstream' in state
          ? { ...request.params, inputResponses: call.answers, ...(state['upstream'] as object) }
          : request.params
      return goOn(begin(upstream, { ...request, params }, call), call)
    },
  }
}

const isAsked = Symbol('the upstream asks')

function tell(relayed: Relayed, say: (call: Call) => void): void {
  if (relayed.call) say(relayed.call)
  else if (relayed.missed.length < maxMissed) relayed.missed.push(say)
}

async function askFor(
  relayed: Relayed,
  { client, ask }: Call,
  request: InputRequest | AnyRequest,
  signal: AbortSignal,
  onProgress?: ProgressListener,
): Promise<object> {
  if (!isAnswerable(request)) return answerFor(request)
  if (!canBeAsked(client, request)) {
    // 2026-07-28 has an error for that, which an upstream that cannot go on passes on.
    if (client.era === 'modern' && request.method !== 'roots/list') assertCapable(inputRequired({ request }), client)
    return answerFor(request)
  }
  if (ask) return ask(request, signal, onProgress)
  if (!mayAskBack.has(relayed.request.method)) return answerFor(request)
  const answer = Promise.withResolvers<object>()
  const key = `ask_${randomUUID().slice(0, 8)}`
  relayed.questions.set(key, { request, answer, isAsked: false })
  signal.addEventListener('abort', () => relayed.questions.delete(key), { once: true })
  relayed.onQuestion?.()
  return answer.promise
}

/** A modern upstream asks in its result; its state travels inside ours. */
function fromUpstream(result: unknown, { method }: RelayedRequest, { client }: Call): object | InputRequired {
  if (!isRecord(result)) throw broken('with something that is no object')
  const { resultType, inputRequests, requestState } = result
  if (resultType !== 'input_required') return result
  if (client.era === 'modern' && !mayAskBack.has(method)) throw broken(`${method} with a question, which it may not`)
  if (inputRequests !== undefined && !areQuestions(inputRequests)) throw broken('with questions that are none')
  return inputRequired(inputRequests && withoutTokens(inputRequests), {
    upstream: requestState === undefined ? {} : { requestState },
  })
}

type Questions = NonNullable<InputRequired['inputRequests']>

function areQuestions(value: unknown): value is Questions {
  const isQuestion = (each: unknown) => isRecord(each) && typeof each['method'] === 'string'
  return isRecord(value) && Object.values(value).every(isQuestion)
}

/** A question that is an answer has no way back for progress. */
function withoutTokens(questions: Questions): Questions {
  const entries = Object.entries(questions).map(([key, question]) => {
    const params = withoutMeta(question.params, 'progressToken')
    return [key, { ...question, ...(params && { params }) }] as const
  })
  return Object.fromEntries(entries)
}

function broken(how: string): RpcError {
  return new RpcError(errorCode.internal, `The upstream broke the protocol: it answered ${how}.`)
}

const answerable = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])

function isAnswerable(request: InputRequest | AnyRequest): request is InputRequest {
  return answerable.has(request.method)
}

/** In place of a client that cannot be asked. That it has no roots is an answer; anything else it must give itself. */
export async function answerFor({ method }: AnyRequest): Promise<object> {
  if (method === 'roots/list') return { roots: [] }
  throw new RpcError(errorCode.methodNotFound, `No client of this session can be asked for ${method.slice(0, 100)}.`)
}
