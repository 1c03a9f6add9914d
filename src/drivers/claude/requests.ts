/** Answers the requests of Claude Code's control protocol: about its tools, and questions to the person. */
import type { Question } from '../../api/session.ts'
import { HubError } from '../../base/hub-error.ts'
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
  /** Claude Code has ended, so it waits for no answer. */
  cancelAll(): void
}

export interface RequestsOptions {
  readonly ownTools: OwnToolGate
  readonly answered: ReadonlySet<string>
  readonly write: (message: ControlMessage) => Promise<void>
  readonly onChange: () => void
}

interface OpenRequest<Place> {
  readonly place: Place
  readonly cancelled: AbortController
  questions?: AskedQuestions
}

export function createRequests<Place>(options: RequestsOptions): Requests<Place> {
  const { ownTools, answered, write, onChange } = options
  const open = new Map<string, OpenRequest<Place>>()
  /** The answers for the calls that may still run. */
  const allowed = new Map<string, AllowedOwnTool[]>()
  async function respond(id: string, response: object): Promise<void> {
    await write(answerTo(id, response))
    open.delete(id)
    onChange()
  }

  async function authorize(call: ClaudeCall, callId: string, agentAsks: boolean, signal: AbortSignal) {
    const answer = await ownTools.authorize({ ...toOwnTool(call), agentAsks, signal })
    if (answer.is === 'allowed') allowed.set(callId, [...(allowed.get(callId) ?? []), answer])
    return answer
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
      const answer = await authorize({ name, input, cwd }, callId, false, signal)
      if (isOver(signal, answer)) return
      return respond(id, toolHookAnswer(answer))
    }
    const { tool_name: name, input, tool_use_id: callId = id } = request
    const questions = askedQuestions(id, name, input)
    if (questions) {
      asked.questions = questions
      return onChange()
    }
    // A rule or a person has allowed this very call already.
    if (allowed.get(callId)?.some(({ isRuled }) => isRuled)) {
      return respond(id, { behavior: 'allow', updatedInput: input })
    }
    const answer = await authorize({ name, input, cwd }, callId, true, signal)
    if (!isOver(signal, answer)) await respond(id, permissionDecision(answer, input))
  }

  function firstAsked(): { readonly id: string; readonly questions: AskedQuestions } | undefined {
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
      const asked: OpenRequest<Place> = { place, cancelled: new AbortController() }
      open.set(request.request_id, asked)
      // Writing fails only if the program has ended or the hub stops. The next hub then finds the request open.
      answerRequest(request, asked, cwd).catch(() => {})
    },
    cancel(id) {
      open.get(id)?.cancelled.abort()
      open.delete(id)
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
    end(call, outcome) {
      for (const answer of allowed.get(call) ?? []) answer.end(outcome)
      allowed.delete(call)
    },
    cancelAll() {
      for (const { cancelled } of open.values()) cancelled.abort()
      open.clear()
      for (const answer of [...allowed.values()].flat()) answer.end('cancelled')
      allowed.clear()
    },
  }
}

/** Claude Code no longer waits, or this hub stops and the next one will ask again. */
function isOver(signal: AbortSignal, answer: { readonly is: string; readonly isUndecided?: boolean }): boolean {
  return signal.aborted || answer.isUndecided === true
}
