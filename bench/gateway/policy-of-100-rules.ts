/** A hub policy as a busy team might have it: 100 rules, of which one allows the call that is measured. */
export function policyOf100Rules(tool: string): string {
  const others = ['github', 'jira', 'files', 'mail', 'database']
  const mount = tool.slice(0, tool.indexOf('_'))
  const rules = [
    `allow: "${tool}"`,
    'allow: "hub_status"',
    ...range(38).map((n) => `allow: "${others[n % 5]}_get_${n}_*"`),
    ...range(30).map((n) => `ask: "${others[n % 5]}_write_${n}_*"`),
    ...range(20).map((n) => `deny: "*_delete_${n}"`),
    // These name the tool itself, so that the arguments of every call are looked at.
    ...range(10).map(
      (n) => `deny: "${mount}_*"\n    when: { properties: { text: { const: "secret ${n}" } }, required: [text] }`,
    ),
  ]
  return ['default: ask', 'rules:', ...rules.map((rule) => `  - ${rule}`), ''].join('\n')
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, n) => n)
}
