/** An action and its input as a prompt, for a model or for the agent of a session. */
import type { Action, ActionInput } from './action.ts'

export interface ActionPrompt {
  /** Tells the model its task. */
  readonly system: string
  readonly prompt: string
}

const duties: Readonly<Record<Action, string>> = {
  code_advice: 'You advise on code. Answer the question. Change no files.',
  search_web:
    'Search the web and answer from what you find. Name the address of each source. If you cannot search, say so.',
  tests_generate: 'You write tests for the code. Answer with the tests, complete and ready to run.',
  refactor_apply:
    'You refactor code as you are told. Keep its behaviour. Say which files you changed, or answer with the new code.',
  chat: 'You answer a person.',
}

const titles: Readonly<Record<string, string>> = {
  question: 'Question',
  query: 'Search for',
  instructions: 'Instructions',
  path: 'File',
  language: 'Language',
  framework: 'Test framework',
  code: 'Code',
}

export function actionPrompt(action: Action, { text, system, ...fields }: ActionInput): ActionPrompt {
  const parts = Object.entries(titles).flatMap(([field, title]) => {
    const value = fields[field]
    return value === undefined ? [] : [field === 'code' ? `${title}:\n${fenced(value)}` : `${title}: ${value}`]
  })
  return { system: system ?? duties[action], prompt: [...(text === undefined ? [] : [text]), ...parts].join('\n\n') }
}

/** A fence longer than any in the code, so that the code cannot end it. */
function fenced(code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((ticks) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${code}\n${fence}`
}
