/** The results of tools as texts, and the arguments of tools as JSON texts. */
import { isRecord } from '../../base/is-record.ts'

/** The text that a model reads. */
export function resultText(result: unknown): string {
  if (typeof result === 'string') return result
  if (result === undefined || result === null) return ''
  if (isTextList(result)) return result.map(({ text }) => text).join('\n')
  return JSON.stringify(result)
}

/** A failure, with what the tool said before it failed. */
export function failureText(result: unknown, error: string): string {
  const said = resultText(result)
  return said === '' || error.includes(said) ? error : `${error}\n${said}`
}

interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

/** Content of MCP and of several providers. */
export function isTextList(value: unknown): value is readonly TextBlock[] {
  const isText = (block: unknown) => isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string'
  return Array.isArray(value) && value.length > 0 && value.every(isText)
}

export interface Arguments {
  readonly parameters: Record<string, unknown>
  /** The original text, if it cannot be rebuilt from the parameters. */
  readonly original?: string
}

export function readArguments(text: string): Arguments {
  const parameters = parseObject(text)
  if (!parameters) return { parameters: { input: text }, original: text }
  return JSON.stringify(parameters) === text ? { parameters } : { parameters, original: text }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
