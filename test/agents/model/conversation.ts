/** What a model is asked, in whatever words the request says it. */
export interface Conversation {
  /** The last thing the person said, without what the agent's program wrapped around it. */
  readonly prompt: string
  /** What the tools answered since. */
  readonly results: readonly string[]
  readonly tools: readonly OfferedTool[]
  /** A side request, such as for a title, wants JSON of this schema instead of an answer. */
  readonly schema?: JsonSchema
}

export interface OfferedTool {
  readonly name: string
  /** Codex keeps the tools of an MCP server under one name. */
  readonly namespace?: string
}

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly anyOf?: readonly JsonSchema[]
}

/** One turn of the conversation: what a person said, or what a tool answered. The model's own turns do not matter. */
export type Turn =
  | { readonly from: 'person'; readonly texts: readonly string[] }
  | { readonly from: 'tool'; readonly text: string }

export function readTurns(turns: readonly Turn[]): Pick<Conversation, 'prompt' | 'results'> {
  let prompt = ''
  let results: string[] = []
  for (const turn of turns) {
    if (turn.from === 'tool') {
      results.push(turn.text)
      continue
    }
    const own = turn.texts.map(withoutWrappers).filter((text) => text !== '')
    if (own.length === 0) continue
    prompt = own.join('\n')
    results = []
  }
  return { prompt, results }
}

/** The agents put their own words into the person's turn: reminders, the environment, the project's instructions. */
function withoutWrappers(text: string): string {
  const rest = text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
  const isWrapper = /^\s*<([a-zA-Z_-]+)\b[^>]*>[\s\S]*<\/\1>\s*$/.test(rest) || /^\s*# AGENTS\.md/.test(rest)
  const isNote = /^\s*\[Request interrupted by user/.test(rest)
  return isWrapper || isNote || rest.trim() === '' ? '' : rest
}
