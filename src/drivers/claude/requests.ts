/** Answers the requests of Claude Code's control protocol: about its tools, and questions to the person. */
import type { Question } from '../../api/session.ts'
import { HubError } from '../../base/hub-error.ts'
import { jsonSize } from '../../base/json-size.ts'
import type { AnswerPlace, AnswerRoom } from '../port/answer-room.ts'
import type { AllowedOwnTool, OwnToolGate } from '../port/own-tools.ts'
import { permissionDecision, toolHookAnswer } from './answers.ts'
import type { ControlMessage } from './control-message.ts'
import { answerTo, callbacks } from './control-message.ts'
import type { ClaudeCall } from './own-tool.ts'
import { isToolOfHub, toOwnTool } from './own-tool.ts'
import type { AskedQuestions } from './questions.ts'
import { askedQuestions } from './questions.ts'
import type { ControlRequest } from './stream-line.ts'

export interface Requests<Place> {
  /** Where to continue reading after a crash: before the oldest request that has no answer. */
  readonly firstOpen: Place | undefined
  readonly question: Question | undefined
  /** Does nothing if an earlier hub has answered it. `place`: before the line of the request. `cwd`: where it works. */
  take(request: ControlRequest, place: Place, cwd: string): void
  cancel(id: string): void
  /** Answers the question. Throws if there is none with this id. */
  answer(question: string, text: string): Promise<void>
  /** The tool of this call has ended. */
  end(call: string, outcome: 'ok' | 'error'): void
  /** Claude Code has ended or is being stopped, so it waits for no answer, also not to a later request. */
  cancelAll(): void
}

export interface RequestsOptions {
  readonly ownTools: OwnToolGate
  readonly room: AnswerRoom
  readonly answered: ReadonlySet<string>
  readonly write: (message: ControlMessage) => Promise<void>
  readonly onChange: () => void
}

interface OpenRequest<Place> {
  readonly place: Place
  readonly bytes: number
  readonly inRoom: AnswerPlace
  readonly cancelled: AbortController
  questions?: AskedQuestions
}

/** Of calls that run at the same time. The end of a call may never be seen. */
const mostRunning = 1_000
/** A person answers them one by one. */
const mostQuestions = 100
const mostQuestionBytes = 1024 * 1024

export function createRequests<Place>(options: RequestsOptions): Requests<Place> {
  const { ownTools, room, answered, write, onChange } = options
  const open = new Map<string, OpenRequest<Place>>()
  /** The answers for the calls that may still run. */
  const allowed = new Map<string, AllowedOwnTool[]>()
  let questionCount = 0
  let questionBytes = 0
  let isOver = false

  function close(id: string): void {
    const asked = open.get(id)
    if (!asked) return
    open.delete(id)
    asked.inRoom.leave()
    if (!asked.questions) return
    questionCount -= 1
    questionBytes -= asked.bytes
  }

  async function respond(id: string, response: object): Promise<void> {
    await write(answerTo(id, response))
    close(id)
    onChange()
  }

  async function authorize(
    call: ClaudeCall,
    callId: string,
    agentAsks: boolean,
    { cancelled, inRoom }: OpenRequest<Place>,
  ) {
    const { signal } = cancelled
    const answer = await ownTools.authorize({
      ...toOwnTool(call),
      agentAsks,
      signal,
      onHeld: () => inRoom.leave(),
    })
    if (answer.is === 'allowed') allowed.set(callId, [...(allowed.get(callId) ?? []), answer])
    const [oldest] = allowed.keys()
    if (allowed.size > mostRunning && oldest !== undefined) endCall(oldest, 'cancelled')
    return answer
  }

  function endCall(call: string, outcome: 'ok' | 'error' | 'cancelled'): void {
    for (const answer of allowed.get(call) ?? []) answer.end(outcome)
    allowed.delete(call)
  }

  async function answerRequest(
    { request_id: id, request }: ControlRequest,
    asked: OpenRequest<Place>,
    cwd: string,
  ): Promise<void> {
    const { signal } = asked.cancelled
    if (request.subtype === 'hook_callback') {
      const { tool_name: name, tool_input: input = {}, tool_use_id: callId = id, mcp_server: server } = request.input
      if (request.callback_id !== callbacks.tool || name === undefined) return respond(id, {})
      if (isToolOfHub(name, server?.name)) return respond(id, {})
      const answer = await authorize({ name, input, cwd }, callId, false, asked)
      if (isLeft(signal, answer)) return
      return respond(id, toolHookAnswer(answer))
    }
    const { tool_name: name, input, tool_use_id: callId = id } = request
    const questions = askedQuestions(id, name, input)
    if (questions) {
      if (questionCount >= mostQuestions || questionBytes + asked.bytes > mostQuestionBytes) {
        return respond(id, { behavior: 'deny', message: tooManyQuestions })
      }
      questionCount += 1
      questionBytes += asked.bytes
      asked.questions = questions
      asked.inRoom.leave()
      return onChange()
    }
    // A rule or a person has allowed this very call already.
    if (allowed.get(callId)?.some(({ isRuled }) => isRuled)) {
      return respond(id, { behavior: 'allow', updatedInput: input })
    }
    const answer = await authorize({ name, input, cwd }, callId, true, asked)
    if (!isLeft(signal, answer)) await respond(id, permissionDecision(answer, input))
  }

  function firstAsked(): { readonly id: string; readonly questions: AskedQuestions } | undefined {
    if (questionCount === 0) return undefined
    for (const [id, { questions }] of open) if (questions) return { id, questions }
    return undefined
  }

  return {
    get firstOpen() {
      return open.values().next().value?.place
    },
    get question() {
      return firstAsked()?.questions.current
    },
    take(request, place, cwd) {
      if (answered.has(request.request_id) || open.has(request.request_id)) return
      const bytes = jsonSize(request.request)
      const asked: OpenRequest<Place> = {
        place,
        bytes,
        inRoom: room.enter(bytes),
        cancelled: new AbortController(),
      }
      if (isOver) asked.cancelled.abort()
      open.set(request.request_id, asked)
      // Writing fails only if the program has ended or the hub stops. The next hub then finds the request open.
      answerRequest(request, asked, cwd)
        .catch(() => asked.inRoom.leave())
        .finally(() => asked.cancelled.signal.aborted && close(request.request_id))
    },
    cancel(id) {
      open.get(id)?.cancelled.abort()
      close(id)
      onChange()
    },
    async answer(question, text) {
      const asked = firstAsked()
      if (asked?.questions.current.id !== question) {
        throw new HubError('not-found', `There is no open question "${question}". get_session shows the open one.`)
      }
      const response = asked.questions.answer(text)
      if (response) await respond(asked.id, response)
      else onChange()
    },
    end: endCall,
    cancelAll() {
      isOver = true
      for (const [id, { cancelled }] of open) {
        cancelled.abort()
        close(id)
      }
      for (const answer of [...allowed.values()].flat()) answer.end('cancelled')
      allowed.clear()
    },
  }
}

const tooManyQuestions = `A session may have ${mostQuestions} open questions, with ${mostQuestionBytes} bytes. Ask again when some are answered.`

/** Claude Code no longer waits, or this hub stops and the next one will ask again. */
function isLeft(signal: AbortSignal, answer: { readonly is: string; readonly isUndecided?: boolean }): boolean {
  return signal.aborted || answer.isUndecided === true
}
