/** A hub policy like that of a busy team: 100 rules, of which one allows the measured call. */
export function policyOf100Rules(): string {
  const others = ['github', 'jira', 'files', 'mail', 'database']
  const rules = [
    'allow: "up*_echo"',
    'allow: "hub_status"',
    ...range(38).map((n) => `allow: "${others[n % 5]}_get_${n}_*"`),
    ...range(30).map((n) => `ask: "${others[n % 5]}_write_${n}_*"`),
    ...range(20).map((n) => `deny: "*_delete_${n}"`),
    // These match the tool itself, so that the arguments of every call are checked.
    ...range(10).map(
      (n) => `deny: "up*"\n    when: { properties: { text: { const: "secret ${n}" } }, required: [text] }`,
    ),
  ]
  return ['default: ask', 'rules:', ...rules.map((rule) => `  - ${rule}`), ''].join('\n')
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, n) => n)
}
