/** The questions that opencode's agent asks a person. A request may have several; they are asked one after another. */
import type { Question } from '../../api/session.ts'
import { HubError } from '../../base/hub-error.ts'
import { jsonSize } from '../../base/json-size.ts'
import type { QuestionRequest } from './messages.ts'

export interface Questions {
  readonly current: Question | undefined
  asked(request: QuestionRequest): void
  ended(request: string): void
  /** Throws if it is not the current question. */
  answer(question: string, answer: string): Promise<void>
}

interface Open {
  readonly request: QuestionRequest
  readonly answers: string[]
}

const mostOpen = 100
/** Of one request. */
const mostBytes = 64 * 1024

export function createQuestions(
  reply: (request: string, answers: readonly (readonly string[])[]) => Promise<void>,
  onChange: () => void,
): Questions {
  const open = new Map<string, Open>()
  const first = (): Open | undefined => [...open.values()][0]

  function toQuestion({ request, answers }: Open): Question | undefined {
    const asked = request.questions[answers.length]
    return (
      asked && {
        id: `${request.id}-${answers.length + 1}`,
        text: asked.question,
        ...(asked.options.length > 0 && { choices: asked.options.map(({ label }) => label) }),
      }
    )
  }
  function currentQuestion(): Question | undefined {
    const oldest = first()
    return oldest && toQuestion(oldest)
  }

  return {
    get current() {
      return currentQuestion()
    },
    asked(request) {
      // The others stay in the terminal.
      if (open.has(request.id) || open.size >= mostOpen || request.questions.length === 0) return
      if (jsonSize(request) > mostBytes) return
      open.set(request.id, { request, answers: [] })
      onChange()
    },
    ended(request) {
      if (open.delete(request)) onChange()
    },
    async answer(question, answer) {
      const oldest = first()
      if (!oldest || currentQuestion()?.id !== question) {
        throw new HubError('conflict', `The agent does not ask "${question}". get_session shows its question.`)
      }
      const { request, answers } = oldest
      if (answers.length + 1 < request.questions.length) answers.push(answer)
      else
        await reply(
          request.id,
          [...answers, answer].map((each) => [each]),
        )
      onChange()
    },
  }
}
