/**
 * The actions that the hub answers by a model, a connector or a session, and their inputs. The router and the tools of
 * agents share them.
 */
import { z } from 'zod'

export const actions = ['code_advice', 'search_web', 'tests_generate', 'refactor_apply', 'chat'] as const
export type Action = (typeof actions)[number]

/** Also accepts the spelling with a dot, such as `code.advice`. */
export const actionName = z
  .string()
  .describe(`${actions.join(', ')}.`)
  .transform((name) => name.replace('.', '_'))
  .pipe(z.enum(actions))

const prose = z.string().min(1).max(1_000_000)
const word = z.string().min(1).max(1_000)
const text = { text: prose.optional().describe('All of it in your own words.') }
const source = {
  code: prose.optional(),
  path: word.optional().describe('The file that it is about.'),
  language: word.optional(),
}

/** Every action accepts a text alone. */
export const actionFields = {
  code_advice: { ...text, question: prose.optional(), ...source },
  search_web: { ...text, query: prose.optional() },
  tests_generate: { ...text, instructions: prose.optional(), ...source, framework: word.optional() },
  refactor_apply: { ...text, instructions: prose.optional(), ...source },
  chat: { ...text, system: prose.optional().describe('How to answer.') },
} satisfies Readonly<Record<Action, z.ZodRawShape>>

export type ActionInput = Readonly<Record<string, string | undefined>>

/** The fields that can make up a task on their own. A path or a language says nothing without them. */
const tasks = ['text', 'question', 'query', 'instructions', 'code'] as const

export function actionInputSchema(action: Action): z.ZodObject {
  const fields = actionFields[action]
  const needed = tasks.filter((field) => field in fields)
  return z.strictObject(fields).refine((input) => needed.some((field) => field in input), {
    error: `it needs ${needed.map((field) => `"${field}"`).join(' or ')}`,
  })
}
