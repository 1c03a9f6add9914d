/**
 * One request on its way to an upstream. When the upstream asks something in the middle of it, the caller is told what
 * is needed and the request waits here until the caller comes back with the answer: at once where it is a legacy client,
 * which is sent a real request, and with its next request on 2026-07-28.
 */
import type { AnyRequest, Call, InputRequest, InputRequired, Params, Upstream } from '../mcp/mcp.ts'
import { canBeAsked, errorCode, inputRequired, isRecord, metaOf, RpcError } from '../mcp/mcp.ts'

export interface RelayedCalls {
  /** Begins, or goes on with what `call.state` names. */
  run(upstream: Upstream, request: RelayedRequest, call: Call): Promise<object | InputRequired>
}

export interface RelayedRequest {
  readonly method: string
  readonly params: Params
  /** Read-only or idempotent. */
  readonly isSafe: boolean
  readonly headers?: Readonly<Record<string, string>>
}

interface Waiting {
  readonly owner: string
  readonly outcome: Promise<object>
  readonly cancel: AbortController
  /** Who is told of progress now. */
  call: Call
  readonly questions: Question[]
  onQuestion: (() => void) | undefined
  timer: NodeJS.Timeout | undefined
}

interface Question {
  readonly key: string
  readonly request: InputRequest
  readonly answer: PromiseWithResolvers<object>
  isAsked: boolean
}

/** How long the upstream's question may wait for somebody to come back with an answer. */
const answerMs = 600_000

export function createRelayedCalls(): RelayedCalls {
  const waiting = new Map<string, Waiting>()
  let count = 0

  function begin(upstream: Upstream, request: RelayedRequest, call: Call): Waiting {
    const { method, params, isSafe, headers } = request
    const cancel = new AbortController()
    let asked = 0
    const outcome = upstream.request(method, params, {
      signal: cancel.signal,
      client: call.client,
      isSafe,
      ...(headers && { headers }),
      ...(metaOf(call.params)['progressToken'] !== undefined && {
        onProgress: (step: Params) => relayed.call.progress(step as { progress: number }),
      }),
      onNotification: (name, told) => relayed.call.passOn(name, told),
      onAsk: (question) => {
        if (!isAnswerable(question) || !canBeAsked(relayed.call.client, question)) return answerFor(question)
        const answer = Promise.withResolvers<object>()
        relayed.questions.push({ key: `ask_${++asked}`, request: question, answer, isAsked: false })
        relayed.onQuestion?.()
        return answer.promise
      },
    })
    outcome.catch(() => {})
    const relayed: Waiting = {
      owner: call.caller.tokenId,
      outcome,
      cancel,
      call,
      questions: [],
      onQuestion: undefined,
      timer: undefined,
    }
    return relayed
  }

  async function goOn(id: string, relayed: Waiting, call: Call): Promise<object | InputRequired> {
    relayed.call = call
    clearTimeout(relayed.timer)
    const leave = () => relayed.cancel.abort()
    if (call.signal.aborted) leave()
    call.signal.addEventListener('abort', leave, { once: true })
    try {
      const question = new Promise<undefined>((resolve) => {
        relayed.onQuestion = () => resolve(undefined)
        if (relayed.questions.some(({ isAsked }) => !isAsked)) resolve(undefined)
      })
      const result = await Promise.race([relayed.outcome, question])
      if (result) {
        waiting.delete(id)
        return fromUpstream(result)
      }
    } catch (error) {
      waiting.delete(id)
      throw error
    } finally {
      relayed.onQuestion = undefined
      call.signal.removeEventListener('abort', leave)
    }
    return ask(id, relayed)
  }

  function ask(id: string, relayed: Waiting): InputRequired {
    waiting.set(id, relayed)
    relayed.timer = setTimeout(() => {
      waiting.delete(id)
      relayed.cancel.abort()
    }, answerMs).unref()
    for (const question of relayed.questions) question.isAsked = true
    const questions = Object.fromEntries(relayed.questions.map(({ key, request }) => [key, request]))
    // With the questions in it, so that each round has a state of its own.
    return { ...inputRequired(questions, { relayed: id, asked: Object.keys(questions) }), takesRefusals: true }
  }

  function resume(id: string, call: Call): Promise<object | InputRequired> {
    const relayed = waiting.get(id)
    if (relayed?.owner !== call.caller.tokenId) {
      throw new RpcError(
        errorCode.unavailable,
        'The upstream no longer waits for this answer. Call again from the start.',
      )
    }
    for (const question of relayed.questions.splice(0)) {
      const answer = call.answers[question.key]
      if (answer instanceof RpcError) question.answer.reject(answer)
      else if (isRecord(answer)) question.answer.resolve(answer)
      else relayed.questions.push({ ...question, isAsked: false })
    }
    return goOn(id, relayed, call)
  }

  return {
    async run(upstream, request, call) {
      const state = isRecord(call.state) ? call.state : {}
      if (typeof state['relayed'] === 'string') return resume(state['relayed'], call)
      const params =
        'upstream' in state
          ? { ...request.params, inputResponses: call.answers, ...(state['upstream'] as object) }
          : request.params
      return goOn(`relayed-${++count}`, begin(upstream, { ...request, params }, call), call)
    },
  }
}

/** A modern upstream asks in its result; its state travels inside ours. */
function fromUpstream(result: object): object | InputRequired {
  const { resultType, inputRequests, requestState } = result as Readonly<Record<string, unknown>>
  if (resultType !== 'input_required') return result
  const upstream = requestState === undefined ? {} : { requestState }
  return inputRequired(inputRequests as InputRequired['inputRequests'], { upstream })
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
