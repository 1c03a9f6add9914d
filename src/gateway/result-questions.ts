/** Questions that an upstream asks with a result or an error. Each is authorized before the client gets it. */
import { heldBy } from '../base/held-memory.ts'
import { isReturnable, TooLongToReturn } from '../base/returned-text.ts'
import type { AnyRequest } from '../upstream/upstream.ts'
import type { Call, InputRequest, InputRequired, Params } from '../mcp/mcp.ts'
import { assertCapable, errorCode, inputRequired, isRecord, RpcError, withoutMeta } from '../mcp/mcp.ts'
import type { AuthorizedQuestion, MountQuestions } from './question-gate.ts'
import { RefusedQuestion } from './question-gate.ts'

type Questions = NonNullable<InputRequired['inputRequests']>

/** A well-behaved upstream asks far less. */
export const mostPerRound = 16
/** In bytes of memory, as for a question that an upstream asks with a request. */
const largestRound = 4 * 1024 * 1024
/** In one call: its questions, and its rounds without a question. */
export const mostPerCall = 100

const answerable = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])

export function isAnswerable(request: AnyRequest): request is InputRequest {
  return answerable.has(request.method)
}

/** Checks the questions and decides on them, one after the other: the first that is refused ends the call. */
export async function authorizeAll(value: unknown, questions: MountQuestions, call: Call): Promise<Questions> {
  const asked = readQuestions(value)
  assertCapable(inputRequired(asked), call.client)
  const passed: [string, InputRequest][] = []
  const ends: AuthorizedQuestion['end'][] = []
  const endAll = (...how: Parameters<AuthorizedQuestion['end']>) => ends.forEach((end) => end(...how))
  try {
    for (const [key, question] of Object.entries(asked)) {
      const authorized = await questions.authorize(withoutToken(question), call, call.signal)
      passed.push([key, authorized.question])
      ends.push(authorized.end)
    }
  } catch (error) {
    endAll({ outcome: 'cancelled', error })
    throw asFailedCall(error)
  }
  endAll({ outcome: 'ok' })
  return Object.fromEntries(passed)
}

/** MCP 2025-11-25: the client must open these addresses before it calls again. */
const elicitationRequired = -32042

/** The error as the client gets it. */
export async function authorizeError(error: unknown, questions: MountQuestions, call: Call): Promise<unknown> {
  if (!(error instanceof RpcError) || error.code !== elicitationRequired) return error
  const data = isRecord(error.data) ? error.data : {}
  const { elicitations = [] } = data
  if (!Array.isArray(elicitations)) return broken('with malformed questions')
  const asked = elicitations.map((params, key) => [key, { method: 'elicitation/create', params }] as const)
  try {
    const passed = Object.values(await authorizeAll(Object.fromEntries(asked), questions, call))
    return new RpcError(error.code, error.message, {
      data: { ...data, elicitations: passed.map(({ params }) => params) },
    })
  } catch (failure) {
    return failure
  }
}

/** A notice repeats the questions of a task. The client gets them, authorized, when it gets the task. */
export function withoutQuestions(params: Params | undefined): Params | undefined {
  if (params?.['inputRequests'] === undefined) return params
  const { inputRequests: _, ...rest } = params
  return rest
}

export function broken(how: string): RpcError {
  return new RpcError(errorCode.internal, `The upstream broke the protocol: it answered ${how}.`)
}

function readQuestions(value: unknown): Questions {
  if (!isRecord(value) || !Object.values(value).every(isQuestion)) throw broken('with malformed questions')
  if (heldBy(value, largestRound) > largestRound) throw broken('with questions that are too large')
  if (!Object.keys(value).every((key) => isReturnable(key))) throw new TooLongToReturn('A key of a question')
  const asked = Object.values(value)
  if (asked.length > mostPerRound) {
    throw broken(`with ${asked.length} questions at once, and a client gets at most ${mostPerRound}`)
  }
  const other = asked.find((one) => !isAnswerable(one as AnyRequest)) as AnyRequest | undefined
  if (other) throw broken(`with the question ${other.method.slice(0, 100)}, which no client can be asked`)
  return value as Questions
}

function isQuestion(value: unknown): boolean {
  if (!isRecord(value) || typeof value['method'] !== 'string') return false
  return value['params'] === undefined || isRecord(value['params'])
}

/** A question in a result has no way to return progress. */
function withoutToken({ method, params }: InputRequest): InputRequest {
  const own = withoutMeta(params, 'progressToken')
  return { method, ...(own && { params: own }) }
}

/** The agent may see the reason of its own policy. Any other failure is the upstream's. */
function asFailedCall(error: unknown): unknown {
  if (error instanceof RefusedQuestion) return error.forAgent
  if (!(error instanceof RpcError)) return error
  return new RpcError(errorCode.internal, `A question of the upstream could not be passed on. ${error.message}`)
}
