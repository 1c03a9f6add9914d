/** What one agent can ask of another, and the prompt that the other gets. */

interface Action {
  readonly description: string
  /** Whether the peer is asked to change files. */
  readonly isWriting: boolean
  prompt(text: string): string
}

export const actions = {
  ask: {
    description: 'Prompts the agent of another session (name or id), and waits for its answer.',
    isWriting: true,
    // The first words must not be a command of the agent's own interface, such as "!ls" or "/clear".
    prompt: (text) => `Another agent asks:\n\n${text}`,
  },
  code_advice: {
    description: 'Asks another agent for advice on code.',
    isWriting: false,
    prompt: (text) =>
      `Another agent asks for your advice on code. Read what you need. Change no files and run nothing that changes something. Answer with the advice itself, short and concrete.\n\nThe question:\n\n${text}`,
  },
  search_web: {
    description: 'Asks another agent to search the web.',
    isWriting: false,
    prompt: (text) =>
      `Another agent asks you to search the web. Use your own search tool. Answer with what you found and the address of each source. If you cannot search, say so; do not answer from memory.\n\nTo find:\n\n${text}`,
  },
  tests_generate: {
    description: 'Asks another agent to write tests.',
    isWriting: true,
    prompt: (text) =>
      `Another agent asks you to write tests. Follow the conventions of the tests that are there. Answer with the tests, the paths of the files you wrote, and how to run them.\n\nTo test:\n\n${text}`,
  },
  refactor_apply: {
    description: 'Asks another agent to change code in its workspace.',
    isWriting: true,
    prompt: (text) =>
      `Another agent asks you to change code in your workspace. Keep its behaviour unless you are told otherwise. Answer with the files you changed, what you changed, and how you checked it.\n\nThe task:\n\n${text}`,
  },
} as const satisfies Readonly<Record<string, Action>>

export type ActionName = keyof typeof actions
export const actionNames = Object.keys(actions) as readonly ActionName[]
