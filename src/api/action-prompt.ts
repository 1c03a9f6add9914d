/** The prompts that ask a model or the agent of a session for an action. */
import type { Action, ActionInput } from './action.ts'

export interface ActionPrompt {
  /** Tells the model its task. */
  readonly system: string
  readonly prompt: string
}

const duties: Readonly<Record<Action, string>> = {
  code_advice:
    'Give advice on code. Read what you need. Change no files and run nothing that changes something. Answer with the advice itself, short and concrete.',
  search_web:
    'Search the web. Answer with what you find and the address of each source. If you cannot search, say so; do not answer from memory.',
  tests_generate:
    'Write tests. Follow the conventions of the tests that are there. Answer with the tests, complete and ready to run, the paths of the files you wrote, and how to run them.',
  refactor_apply:
    'Change code as you are told. Keep its behaviour unless you are told otherwise. Answer with the files you changed, what you changed, and how you checked it. If you cannot change files, answer with the new code.',
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

/** The same in one text, for the agent of a session. */
export function agentPrompt(action: Action, input: ActionInput, isAskedByAgent: boolean): string {
  const { system, prompt } = actionPrompt(action, input)
  return isAskedByAgent ? fromAgent(`${system}\n\n${prompt}`) : `${system}\n\n${prompt}`
}

/**
 * Puts a sentence first, since the first words must not be a command of the agent's own interface, such as "!ls" or
 * "/clear".
 */
export function fromAgent(text: string): string {
  return `Another agent asks:\n\n${text}`
}

/** A fence longer than any in the code, so that the code cannot end it. */
function fenced(code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((ticks) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${code}\n${fence}`
}
