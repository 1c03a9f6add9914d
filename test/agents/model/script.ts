/**
 * A prompt is a script, line by line:
 *
 *   CALL tool {json}   call a tool; several calls run one after another
 *   THINK text         think this
 *   SAY text           say this before anything else
 *   FINAL text         say this at the end, instead of the tool results
 *   LONG count         print this many lines at the end
 *   SLOW ms            begin each answer, then wait
 *   STALL              begin the answer, but never continue
 *   FAIL status        answer with this HTTP status
 *
 * A prompt without commands is echoed. The reply depends on the conversation alone, so a retry gets the same answer.
 */
import type { Conversation, OfferedTool } from './conversation.ts'
import { freshId } from './dialect.ts'
import { sampleOf } from './sample.ts'

export type Reply =
  | { readonly is: 'failure'; readonly status: number }
  | { readonly is: 'stall' }
  | { readonly is: 'answer'; readonly parts: readonly Part[]; readonly waitMs: number }

export type Part =
  | { readonly is: 'thought'; readonly text: string }
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'call'; readonly id: string; readonly tool: OfferedTool; readonly input: object }

export function replyTo(conversation: Conversation): Reply {
  const { prompt, results, schema } = conversation
  if (schema) return { is: 'answer', parts: [say(JSON.stringify(sampleOf(schema)))], waitMs: 0 }
  const lines = prompt.split('\n')
  const all = (directive: string) =>
    lines.filter((line) => line.startsWith(`${directive} `)).map((line) => line.slice(directive.length + 1).trim())
  const first = (directive: string) => all(directive)[0]

  const status = first('FAIL')
  if (status !== undefined) return { is: 'failure', status: Number(status) }
  if (lines.includes('STALL')) return { is: 'stall' }

  const waitMs = Number(first('SLOW') ?? 0)
  const calls = all('CALL')
  const next = calls[results.length]
  if (next !== undefined) {
    const opening = results.length === 0 ? [...all('THINK').map(think), ...all('SAY').map(say)] : []
    return { is: 'answer', parts: [...opening, callPart(next, conversation)], waitMs }
  }
  const opening = calls.length === 0 ? [...all('THINK').map(think), ...all('SAY').map(say)] : []
  return { is: 'answer', parts: [...opening, say(finalText(conversation, calls.length, first))], waitMs }
}

function finalText(
  { prompt, results }: Conversation,
  calls: number,
  first: (directive: string) => string | undefined,
): string {
  const long = first('LONG')
  if (long !== undefined) return Array.from({ length: Number(long) }, (_, index) => `line ${index + 1}`).join('\n')
  return first('FINAL') ?? (calls > 0 ? `DONE: ${results.join(' ')}` : `ECHO: ${prompt}`)
}

function callPart(line: string, { tools }: Conversation): Part {
  const [, name = '', json = '{}'] = /^(\S+)\s*(.*)$/.exec(line) ?? []
  // Each agent has its own prefix for the tools of an MCP server.
  const tool = tools.find((offered) => offered.name === name) ?? tools.find((offered) => offered.name.endsWith(name))
  if (!tool) return say(`There is no tool ${name}, only ${tools.map((offered) => offered.name).join(', ')}.`)
  return { is: 'call', id: freshId('call'), tool, input: JSON.parse(json) as object }
}

function say(text: string): Part {
  return { is: 'text', text }
}

function think(text: string): Part {
  return { is: 'thought', text }
}
