/** `rule 4 of the hub policy` for `hub#4`. The rule of a session that asked another one ends with that session's name. */
export function ruleWords(rule: string): string {
  const [, scope, template, number, rest] = /^(\w+)(?::([^#]+))?#(\d+)(.*)$/.exec(rule) ?? []
  if (number === undefined) return rule
  const owner = template === undefined ? `${scope} policy` : `template ${template}`
  return `rule ${number} of the ${owner}${rest}`
}
