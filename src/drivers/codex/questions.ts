/** Questions that Codex, or an MCP server behind it, asks a person: one at a time, in the order they came. */
import { z } from 'zod'
import type { Question } from '../../api/session.ts'
import { HubError } from '../../base/hub-error.ts'
import { jsonSize } from '../../base/json-size.ts'
import type { RequestId } from './app-server.ts'

export interface Questions {
  readonly current: Question | undefined
  /** False: not a question. */
  take(id: RequestId, method: string, params: unknown): boolean
  answer(question: string, answer: string): void
  /** Another client has answered. */
  resolved(id: RequestId): void
  /** The connection has ended. Codex asks the next one again. */
  clear(): void
}

const inputRequest = z.object({
  questions: z.array(
    z.object({
      id: z.string(),
      question: z.string(),
      options: z.array(z.object({ label: z.string() })).nullish(),
    }),
  ),
})

const elicitation = z.object({
  serverName: z.string(),
  message: z.string().default(''),
  url: z.string().optional(),
  requestedSchema: z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) }).optional(),
})

interface Open {
  readonly request: RequestId
  readonly question: Question
  /** Its share of the request. */
  readonly bytes: number
  answer(text: string): void
}

/** A person answers them one by one. */
const mostOpen = 100
const mostBytes = 1024 * 1024
const tooMany = `A session may have ${mostOpen} open questions, with ${mostBytes} bytes. Ask again when some are answered.`

export interface QuestionsOptions {
  reply(id: RequestId, result: object): void
  refuse(id: RequestId, message: string): void
  onChange(): void
}

export function createQuestions({ reply, refuse, onChange }: QuestionsOptions): Questions {
  let open: readonly Open[] = []

  function close(request: RequestId): void {
    open = open.filter((each) => each.request !== request)
    onChange()
  }

  function isFull(id: RequestId, more: number, moreBytes: number): boolean {
    const bytes = open.reduce((sum, each) => sum + each.bytes, moreBytes)
    if (open.length + more <= mostOpen && bytes <= mostBytes) return false
    refuse(id, tooMany)
    return true
  }

  function ask(id: RequestId, params: unknown): boolean {
    const { data } = inputRequest.safeParse(params)
    if (!data) return false
    const { length } = data.questions
    const bytes = jsonSize(data)
    if (isFull(id, length, bytes)) return true
    const answers: Record<string, { answers: string[] }> = {}
    const asked = data.questions.map(({ id: name, question, options }): Open => ({
      request: id,
      bytes: bytes / length,
      question: { id: `${id}:${name}`, text: question, ...(options && { choices: options.map(({ label }) => label) }) },
      answer(text) {
        answers[name] = { answers: [text] }
        open = open.filter((each) => each.question.id !== `${id}:${name}`)
        if (Object.keys(answers).length === length) reply(id, { answers })
        onChange()
      },
    }))
    open = [...open, ...asked]
    onChange()
    return true
  }

  function elicit(id: RequestId, params: unknown): boolean {
    const { data } = elicitation.safeParse(params)
    if (!data) return false
    const bytes = jsonSize(data)
    if (isFull(id, 1, bytes)) return true
    const { serverName, message, url, requestedSchema } = data
    const [name, ...others] = Object.keys(requestedSchema?.properties ?? {})
    const isPlain = name === undefined
    const text = `${serverName}: ${message}${url === undefined ? '' : ` ${url}`}`
    const hint = others.length > 0 ? ' Answer with a JSON object.' : ''
    open = [
      ...open,
      {
        request: id,
        bytes,
        question: { id: String(id), text: `${text}${hint}`, ...(isPlain && { choices: ['accept', 'decline'] }) },
        answer(given) {
          const isNo = /^(decline|no|cancel)$/i.test(given.trim())
          const content = contentOf(given, name, others.length > 0)
          reply(
            id,
            isNo ? { action: 'decline', content: null, _meta: null } : { action: 'accept', content, _meta: null },
          )
          close(id)
        },
      },
    ]
    onChange()
    return true
  }

  return {
    get current() {
      return open[0]?.question
    },
    take(id, method, params) {
      if (open.some(({ request }) => request === id)) return true
      if (method === 'item/tool/requestUserInput') return ask(id, params)
      return method === 'mcpServer/elicitation/request' && elicit(id, params)
    },
    answer(question, answer) {
      const asked = open.find((each) => each.question.id === question)
      if (!asked)
        throw new HubError('not-found', `There is no question "${question}". get_session shows the current one.`)
      asked.answer(answer)
    },
    resolved: close,
    clear: () => void (open = []),
  }
}

function contentOf(given: string, name: string | undefined, isObject: boolean): object {
  if (name === undefined) return {}
  if (!isObject) return { [name]: given }
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(given))
  } catch {
    throw new HubError('invalid', 'The question has several fields. Answer with a JSON object, or "decline".')
  }
}
