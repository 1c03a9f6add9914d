/**
 * The hub's messages name the arguments of its tools. A command passes them as flags or as a file: `"expires_in": …`
 * becomes `--expires-in: …`.
 */
const flagOf: Readonly<Record<string, string>> = {
  base_url: '--url',
  connectors: '--connector',
  content: 'the message',
  correlation: 'the id',
  cursor: '--cursor',
  env: '--env',
  expires_in: '--expires-in',
  headers: '--header',
  label: '--label',
  limit: '--limit',
  labels: '--label',
  mcp_socket: '--mcp-socket',
  name: 'the name',
  older_than: '--older-than',
  overrides: '--overrides',
  path: 'the path',
  payload: 'the file',
  priority: '--priority',
  question: 'the question',
  ref: '--ref',
  repository: 'the repository',
  session: 'the session',
  since: '--since',
  source: 'the file',
  target: 'the target',
  text: 'the text',
  tmux_socket: '-L or -S',
  tools: '--tools',
  toolsets: '--toolsets',
  until: '--until',
  working_dir: '--dir',
  worktree: '--worktree',
}

/** Only where it is surely the name of an argument: at the start of a finding, or a name that no person would choose. */
const namedArgument = new RegExp(
  `(?<=^|; |: )"(${Object.keys(flagOf).join('|')})(?:\\.[\\w.]+)?"(?=:|, line| is not| holds)|"([a-z]+_[a-z]+)"`,
  'g',
)

/** Advice that is not true here: a command without `--dir` starts in the current directory, and a flag has no value. */
const otherAdvice: readonly (readonly [string, string])[] = [
  ['leave out "working_dir" for a new one', 'leave out --dir for the current one'],
  ['"force": true (--force)', '--force'],
]

export function inFlagWords(message: string): string {
  const advised = otherAdvice.reduce((text, [there, here]) => text.replace(there, here), message)
  const said = advised.replace(
    namedArgument,
    (whole, atStart: string | undefined, anywhere: string | undefined) => flagOf[atStart ?? anywhere ?? ''] ?? whole,
  )
  return said.charAt(0).toUpperCase() + said.slice(1)
}
