/** A request to a model, independent of the provider's format. */
import { createHash } from 'node:crypto'

export interface Conversation {
  /** The person's last message, without the text that the agent's program added. */
  readonly prompt: string
  /** The person's earlier messages, oldest first. */
  readonly earlier: readonly string[]
  /** The tool results since the last message. */
  readonly results: readonly string[]
  readonly tools: readonly OfferedTool[]
  /** If it is set, the answer is JSON of this schema. */
  readonly schema?: JsonSchema
}

export interface OfferedTool {
  readonly name: string
  /** Codex groups the tools of an MCP server under one name. */
  readonly namespace?: string
}

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly anyOf?: readonly JsonSchema[]
}

/** A request that is not part of an agent's own conversation, such as for a title. An agent always offers tools. */
export function isSideRequest({ schema, tools }: Conversation): boolean {
  return schema !== undefined || tools.length === 0
}

/** The same for a retry, and different for each model turn of a conversation. */
export function fingerprintOf({ earlier, prompt, results }: Conversation): string {
  const place = JSON.stringify([...earlier, prompt, results.length])
  return createHash('sha256').update(place).digest('hex').slice(0, 20)
}

/** One turn of the conversation: a message of a person, or a tool result. The model's own turns do not matter. */
export type Turn =
  | { readonly from: 'person'; readonly texts: readonly string[] }
  | { readonly from: 'tool'; readonly text: string }

export function readTurns(turns: readonly Turn[]): Pick<Conversation, 'prompt' | 'earlier' | 'results'> {
  const said: string[] = []
  let results: string[] = []
  for (const turn of turns) {
    if (turn.from === 'tool') {
      results.push(turn.text)
      continue
    }
    const own = turn.texts.map(withoutWrappers).filter((text) => text !== '')
    if (own.length === 0) continue
    said.push(own.join('\n'))
    results = []
  }
  return { prompt: said.at(-1) ?? '', earlier: said.slice(0, -1), results }
}

/** Agents add their own text to the person's turn: reminders, the environment, the project's instructions. */
function withoutWrappers(text: string): string {
  const rest = text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
  const isWrapper = /^\s*<([a-zA-Z_-]+)\b[^>]*>[\s\S]*<\/\1>\s*$/.test(rest) || /^\s*# AGENTS\.md/.test(rest)
  const isNote = /^\s*\[Request interrupted by user/.test(rest)
  return isWrapper || isNote || rest.trim() === '' ? '' : rest
}
