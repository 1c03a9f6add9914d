import { readQuestions } from '../questions.ts'
import { repositories } from '../repositories.ts'

/** All questions: here only the time of an answer counts. */
export function scaleQuestions(): readonly string[] {
  return repositories.flatMap(({ name }) => readQuestions(name)).map(({ question }) => question)
}
