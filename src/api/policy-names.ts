/**
 * The names by which policies know the offers of a connector. Each name has one meaning: `<mount>_read` is reading
 * resources and prompts, `<mount>_elicitation` and `<mount>_sampling` are questions of the upstream to the client.
 */
export const mountActions = ['read', 'elicitation', 'sampling'] as const
export type MountAction = (typeof mountActions)[number]

/** The name of a tool in policy rules. It is never shortened, so that no alias escapes a rule. */
export function toolPolicyName(mount: string, original: string): string {
  return `${mount}_${withoutOtherMeaning(original)}`
}

export function actionPolicyName(mount: string, action: MountAction): string {
  return `${mount}_${action}`
}

/** A method that MCP does not define. The name has a slash, and does not end like that of a tool with a slash. */
export function methodPolicyName(mount: string, method: string): string {
  const isClear = method.includes('/') && !method.endsWith('_tool')
  return `${mount}_${isClear ? method : `${method}/`}`
}

/**
 * A tool that is named like an action or a method gets `_tool` at its end, and so does one that already has that name.
 * A rule that allows reading resources must not allow a tool named `read`.
 */
export function withoutOtherMeaning(original: string): string {
  return otherMeaning.test(original) ? `${original}_tool` : original
}

const otherMeaning = new RegExp(`^(?:${mountActions.join('|')})(?:_tool)*$|/`)

/** Whether a policy decides under this name on a question to the person at the client. */
export function isElicitation(tool: string): boolean {
  return elicitation.test(tool)
}

const elicitation = /^[a-z0-9]{1,24}_elicitation$/
