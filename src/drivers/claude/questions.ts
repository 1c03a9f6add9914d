/** The questions of Claude Code's tool AskUserQuestion. It asks up to four at once; people answer them one by one. */
import { z } from 'zod'
import type { Question } from '../../api/session.ts'

const questionsSchema = z.object({
  questions: z
    .array(z.object({ question: z.string(), options: z.array(z.object({ label: z.string() })).default([]) }))
    .min(1),
})

export interface AskedQuestions {
  /** The one to answer next. */
  readonly current: Question
  /** Returns what to tell Claude Code, after the last answer. */
  answer(text: string): object | undefined
}

/** `undefined`: the call asks nothing. */
export function askedQuestions(request: string, tool: string, input: object): AskedQuestions | undefined {
  const { data } = questionsSchema.safeParse(input)
  if (!asksPerson(tool) || !data) return undefined
  const { questions } = data
  const answers: Record<string, string> = {}
  let index = 0
  return {
    get current() {
      const { question, options } = questions[index]!
      return { id: `${request}:${index}`, text: question, choices: options.map(({ label }) => label) }
    },
    answer(text) {
      answers[questions[index]!.question] = text
      index += 1
      return index < questions.length ? undefined : { behavior: 'allow', updatedInput: { ...input, answers } }
    },
  }
}

/** Tools whose dialog has more answers than yes and no. */
export function asksPerson(tool: string): boolean {
  return tool === 'AskUserQuestion'
}
