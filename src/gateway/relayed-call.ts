/**
 * One request to an upstream. If the upstream asks something in the middle of it, a legacy client is asked at once. At
 * 2026-07-28 the caller gets the question as the result, and the request waits here until the caller comes back.
 */
import { randomUUID } from 'node:crypto'
import { heldBy } from '../base/held-memory.ts'
import { HubError } from '../base/hub-error.ts'
import { jsonSize } from '../base/json-size.ts'
import { isReturnable, TooLongToReturn } from '../base/returned-text.ts'
import { assertCapable, canBeAsked, errorCode, inputRequired, isRecord, metaOf, RpcError } from '../mcp/mcp.ts'
import type { Call, Client, InputRequest, InputRequired, Params, ProgressListener } from '../mcp/mcp.ts'
import type { AnyRequest, Upstream, UpstreamRequest } from '../upstream/upstream.ts'
import type { Root } from './session-roots.ts'
import type { MountQuestions } from './question-gate.ts'
import { createRateLimit, noticeLimits } from './rate-limit.ts'
import {
  authorizeAll,
  authorizeError,
  broken,
  isAnswerable,
  mostPerCall,
  mostPerRound,
  withoutQuestions,
} from './result-questions.ts'
import type { MountTasks } from './task-ids.ts'

export interface RelayedCalls {
  /** Starts a request, or continues the one that `call.state` names. */
  run(target: RelayTarget, request: RelayedRequest, call: Call): Promise<object | InputRequired>
  /** Counts what a message holds until the upstream has it. Throws if those of its caller hold too much. */
  hold(params: Params, call: Call): Disposable
}

export interface RelayTarget {
  readonly lease: { readonly upstream: Pick<Upstream, 'request'> }
  readonly tasks: Pick<MountTasks, 'shown' | 'original' | 'answered'>
  readonly questions: MountQuestions
  /** The roots for an upstream that asks while its caller has none to offer, or may name none. */
  roots(): Promise<readonly Root[]>
  /** A confined agent may not: an upstream may show it each directory that it names as a root. */
  mayNameRoots(): Promise<boolean>
}

export interface RelayedRequest {
  readonly method: string
  readonly params: Params
  /** Read-only or idempotent. */
  readonly isSafe: boolean
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The questions and rounds before this one. */
  readonly asked?: number
}

interface Relayed {
  readonly request: RelayedRequest
  readonly target: Pick<RelayTarget, 'questions'>
  readonly owner: string
  /** Set as soon as the request is sent. */
  outcome: Promise<object> | undefined
  readonly cancel: AbortController
  /** The call that waits for the request now. Between two requests of a modern client there is none. */
  call: Call | undefined
  /** Notifications that arrived while no call waited. The next call gets them. */
  readonly missed: ((call: Call) => void)[]
  missedBytes: number
  readonly questions: Map<string, Question>
  /** The error, if the upstream asked for something that its modern client did not declare. */
  refusal: unknown
  /** The upstream asked for something that the client can answer. */
  hasAsked: boolean
  /** How many questions it has asked. */
  asked: number
  onQuestion: (() => void) | undefined
  timer: NodeJS.Timeout | undefined
}

interface Question {
  readonly request: InputRequest
  readonly answer: PromiseWithResolvers<object>
  isAsked: boolean
}

/** How long the upstream's question waits for its client to come back with an answer. */
const answerMs = 600_000
/** Agents that never come back must not fill the hub. Each token may have this many; the oldest are given up. */
const maxWaiting = 32
/** A modern upstream may keep all it knows about a call in its state. */
const longestState = 256 * 1024
/** Of the requests of one token that upstreams have not answered. The hub keeps several copies of each. */
const mostHeld = 32 * 1024 * 1024
const maxMissed = 100
const maxMissedBytes = 2 * 1024 * 1024

/** The methods whose result may be a question at 2026-07-28. */
export const mayAskBack: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get'])

export function createRelayedCalls(): RelayedCalls {
  const waiting = new Map<string, Relayed>()
  const heldByCaller = new Map<string, number>()

  function hold(params: Params, { caller: { tokenId } }: Call): Disposable {
    const size = heldBy(params)
    const held = (heldByCaller.get(tokenId) ?? 0) + size
    if (held > mostHeld) throw tooMuchHeld()
    heldByCaller.set(tokenId, held)
    return {
      [Symbol.dispose]() {
        const left = heldByCaller.get(tokenId)! - size
        if (left === 0) heldByCaller.delete(tokenId)
        else heldByCaller.set(tokenId, left)
      },
    }
  }

  function begin(target: RelayTarget, request: RelayedRequest, call: Call): Relayed {
    const { method, isSafe, headers } = request
    const { lease, tasks } = target
    const asked = tasks.original(request.params)
    const held = hold(asked, call)
    const cancel = new AbortController()
    const relayed: Relayed = {
      request,
      target,
      owner: call.caller.tokenId,
      outcome: undefined,
      cancel,
      call,
      missed: [],
      missedBytes: 0,
      questions: new Map(),
      refusal: undefined,
      hasAsked: false,
      asked: 0,
      onQuestion: undefined,
      timer: undefined,
    }
    let limit: ReturnType<typeof createRateLimit> | undefined
    const mayPass = (message: Params | undefined) => (limit ??= createRateLimit(noticeLimits))(message)
    const options: UpstreamRequest = {
      signal: cancel.signal,
      client: call.client,
      isSafe,
      ...(headers && { headers }),
      ...(metaOf(call.params)['progressToken'] !== undefined && {
        onProgress(step) {
          if (mayPass(step)) deliver(relayed, step, (listener) => listener.progress(step as { progress: number }))
        },
      }),
      onNotification(name, params) {
        if (!mayPass(params)) return
        const shown = withoutQuestions(params)
        deliver(relayed, shown, (listener) => listener.forward(name, shown && tasks.shown(shown)))
      },
      onAsk(question, signal, onProgress) {
        const shown = withParams(question, tasks.shown)
        return askFor(relayed, call, target, shown, signal, onProgress)
      },
    }
    relayed.outcome = lease.upstream.request(method, asked, options).then(
      (result) => {
        tasks.answered(asked)
        if (isRefused(relayed)) throw relayed.refusal
        return isRecord(result) ? tasks.shown(result) : result
      },
      (error: unknown) => {
        throw isRefused(relayed) ? relayed.refusal : error
      },
    )
    // Between two requests of the client no caller handles a rejection.
    relayed.outcome.catch(() => {}).finally(() => held[Symbol.dispose]())
    return relayed
  }

  async function goOn(relayed: Relayed, call: Call): Promise<object | InputRequired> {
    const { signal } = call
    relayed.call = call
    for (const say of relayed.missed.splice(0)) say(call)
    relayed.missedBytes = 0
    const leave = () => relayed.cancel.abort(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    try {
      // An upstream that ends the call withdraws its questions, perhaps in the same packet.
      do {
        const result = await nextOf(relayed).catch(async (error: unknown) => {
          throw await authorizeError(error, relayed.target.questions, call)
        })
        if (result !== isAsked) return await fromUpstream(result, relayed, call)
      } while (!hasQuestion(relayed))
    } finally {
      relayed.onQuestion = undefined
      relayed.call = undefined
      signal.removeEventListener('abort', leave)
    }
    return askBack(relayed)
  }

  function askBack(relayed: Relayed): InputRequired {
    // Each round has its own id, so that a question cannot be answered twice.
    const id = randomUUID()
    waiting.set(id, relayed)
    relayed.timer = setTimeout(() => giveUp(id, relayed), answerMs).unref()
    const own = [...waiting].filter(([, { owner }]) => owner === relayed.owner)
    for (const [oldest, other] of own.slice(0, -maxWaiting)) giveUp(oldest, other)
    // The others are asked when these are answered.
    const round = [...relayed.questions].slice(0, mostPerRound)
    for (const [, question] of round) question.isAsked = true
    const questions = round.map(([key, { request }]) => [key, request] as const)
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
        'The upstream no longer waits for this answer. Make the call again from the start.',
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
    hold,
    async run(target, request, call) {
      const state = isRecord(call.state) ? call.state : {}
      if (typeof state['relayed'] === 'string') return resume(state['relayed'], call)
      const answers = await ownAnswers(call, target)
      return goOn(begin(target, withAnswers(request, state, answers), call), call)
    },
  }
}

function tooMuchHeld(): HubError {
  return new HubError(
    'busy',
    `The calls of this session that upstreams have not answered would hold more than ${mostHeld / 1024 / 1024} MiB. Wait for one to end, or cancel one.`,
  )
}

/** A client may come back without a state. Its answers are passed on all the same. */
function withAnswers(request: RelayedRequest, state: Params, answers: Call['answers']): RelayedRequest {
  const hasAnswers = 'upstream' in state || Object.keys(answers).length > 0
  if (!hasAnswers) return request
  const own = state['upstream'] as object | undefined
  const asked = typeof state['asked'] === 'number' ? state['asked'] : 0
  return { ...request, asked, params: { ...request.params, inputResponses: answers, ...own } }
}

/** The answers of a client, with the hub's roots where it may not name any. */
async function ownAnswers({ answers }: Call, { roots, mayNameRoots }: RelayTarget): Promise<Call['answers']> {
  const hasRoots = (answer: unknown) => isRecord(answer) && 'roots' in answer
  if (!Object.values(answers).some(hasRoots) || (await mayNameRoots())) return answers
  const own = { roots: await roots() }
  return Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, hasRoots(answer) ? own : answer]))
}

const isAsked = Symbol('the upstream asks')

function deliver(relayed: Relayed, message: Params | undefined, send: (call: Call) => void): void {
  if (relayed.call) return send(relayed.call)
  relayed.missedBytes += jsonSize(message)
  if (relayed.missed.length < maxMissed && relayed.missedBytes < maxMissedBytes) relayed.missed.push(send)
}

/** Resolves with the outcome, or with a question that the client has not been asked yet, whichever comes first. */
function nextOf(relayed: Relayed): Promise<object | typeof isAsked> {
  return new Promise((resolve, reject) => {
    relayed.outcome?.then(resolve, reject)
    relayed.onQuestion = () => resolve(isAsked)
    // If the outcome is there already, it comes first.
    if (hasQuestion(relayed)) queueMicrotask(relayed.onQuestion)
  })
}

function hasQuestion({ questions }: Relayed): boolean {
  return questions.size > 0 && questions.values().some((each) => !each.isAsked)
}

/** The refusal is the answer, unless the upstream also asked for something that the client can provide. */
function isRefused({ refusal, hasAsked }: Relayed): boolean {
  return refusal !== undefined && !hasAsked
}

function withParams(question: AnyRequest, map: (params: Params) => Params): AnyRequest {
  const { params } = question
  const mapped = params && map(params)
  return mapped === params || mapped === undefined ? question : { ...question, params: mapped }
}

async function askFor(
  relayed: Relayed,
  call: Call,
  { questions, roots, mayNameRoots }: RelayTarget,
  request: InputRequest | AnyRequest,
  signal: AbortSignal,
  onProgress?: ProgressListener,
): Promise<object> {
  const { client, ask } = call
  if (!isAnswerable(request)) return answerFor(request, roots)
  if (request.method === 'roots/list' && !(await mayNameRoots())) return answerFor(request, roots)
  if (!canBeAsked(client, request)) {
    if (client.era === 'modern' && request.method !== 'roots/list') refuse(relayed, request, client)
    return answerFor(request, roots)
  }
  if (!ask && !mayAskBack.has(relayed.request.method)) return answerFor(request, roots)
  if (++relayed.asked > mostPerCall) {
    throw new RpcError(errorCode.busy, `A call may ask its client ${mostPerCall} times, and this one has.`)
  }
  const whileOpen = AbortSignal.any([signal, relayed.cancel.signal])
  relayed.hasAsked = true
  const { question, end } = await questions.authorize(request, call, whileOpen)
  try {
    const answer = await (ask ? ask(question, whileOpen, onProgress) : askInResult(relayed, question, whileOpen))
    end({ outcome: 'ok', bytes: jsonSize(answer) })
    return hasNoRoots(request, answer) ? answerFor(request, roots) : answer
  } catch (error) {
    end({ outcome: whileOpen.aborted ? 'cancelled' : 'failed', error })
    throw error
  }
}

/** A modern client is asked with the result of its call, and comes back with the answer. */
function askInResult(relayed: Relayed, request: InputRequest, signal: AbortSignal): Promise<object> {
  const answer = Promise.withResolvers<object>()
  const key = `ask_${randomUUID().slice(0, 8)}`
  const withdraw = () => {
    relayed.questions.delete(key)
    answer.reject(new RpcError(errorCode.cancelled, 'The question was withdrawn.'))
  }
  if (signal.aborted) withdraw()
  else {
    relayed.questions.set(key, { request, answer, isAsked: false })
    signal.addEventListener('abort', withdraw, { once: true })
    relayed.onQuestion?.()
  }
  return answer.promise
}

/** Outside a call the upstream would get the hub's roots. When it asks must not decide whether it gets any. */
function hasNoRoots({ method }: InputRequest, answer: object): boolean {
  return method === 'roots/list' && 'roots' in answer && Array.isArray(answer.roots) && answer.roots.length === 0
}

/** 2026-07-28 defines an error for this case. */
function refuse(relayed: Relayed, request: InputRequest, client: Client): void {
  try {
    assertCapable(inputRequired({ request }), client)
  } catch (error) {
    relayed.refusal = error
    throw error
  }
}

/** A modern upstream asks in its result. Its state travels inside ours, with the number of questions so far. */
async function fromUpstream(
  result: unknown,
  { request, target }: Relayed,
  call: Call,
): Promise<object | InputRequired> {
  if (!isRecord(result)) throw broken('with something that is not an object')
  const { resultType, inputRequests, requestState } = result
  const asksBack = resultType === 'input_required'
  if (!asksBack && inputRequests === undefined) return result
  if (asksBack && call.client.era === 'modern' && !mayAskBack.has(request.method)) {
    throw broken(`${request.method} with a question, which is not allowed`)
  }
  const asked = inputRequests === undefined ? undefined : await authorizeAll(inputRequests, target.questions, call)
  // A task asks in its description.
  if (!asksBack) return { ...result, inputRequests: asked }
  if (!isReturnable(requestState, longestState))
    throw new TooLongToReturn('The "requestState" of the upstream', longestState)
  const count = (request.asked ?? 0) + Math.max(1, Object.keys(asked ?? {}).length)
  if (count > mostPerCall) throw broken(`${request.method} with questions more than ${mostPerCall} times`)
  return inputRequired(asked, { upstream: requestState === undefined ? {} : { requestState }, asked: count })
}

/**
 * Answers in place of a client that cannot be asked. The hub knows the roots; only a client can answer anything else.
 */
export async function answerFor({ method }: AnyRequest, roots: RelayTarget['roots']): Promise<object> {
  if (method === 'roots/list') return { roots: await roots() }
  throw new RpcError(errorCode.methodNotFound, `No client of this session can answer ${method.slice(0, 100)}.`)
}
