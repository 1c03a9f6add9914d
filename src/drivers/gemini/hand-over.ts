/** Gemini CLI gets the thread as a chat file, which it loads. It continues in a chat of its own. */
import { createHash, randomUUID } from 'node:crypto'
import { realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HandOver } from '../port/hand-over.ts'
import { handedOverMark } from '../port/hand-over.ts'

interface Part {
  readonly text?: string
  readonly thought?: boolean
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args?: object }
  readonly functionResponse?: { readonly id: string; readonly response?: { readonly error?: unknown } }
}

interface Content {
  readonly role?: 'user' | 'model'
  readonly parts: readonly Part[]
}

/** Gemini CLI prints this when it has loaded the thread, a while after its interface has appeared. */
export const loadedNote = /Imported session from/

export function earlierThreadFile(directory: string): string {
  return join(directory, 'earlier-thread.jsonl')
}

export const handOverToGemini: HandOver = async (thread, { directory, workspacePath }) => {
  const file = earlierThreadFile(directory)
  const contents = thread.messagesIn('gemini') as readonly Content[]
  const lines = [await headOf(workspacePath), ...chatOf(contents)]
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
  return { args: ['--session-file', file] }
}

async function headOf(workspacePath: string): Promise<object> {
  const now = new Date().toISOString()
  const projectHash = createHash('sha256')
    .update(await realpath(workspacePath))
    .digest('hex')
  return { sessionId: randomUUID(), projectHash, startTime: now, lastUpdated: now, kind: 'main' }
}

/** The results of calls are in the message with the calls. */
function chatOf(contents: readonly Content[]): readonly object[] {
  const timestamp = new Date().toISOString()
  const results = new Map(
    contents.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.functionResponse ? [[part.functionResponse.id, part] as const] : [])),
    ),
  )
  return contents.flatMap(({ role, parts }, index): object[] => {
    const id = `${handedOverMark}${index}`
    const texts = parts.filter(({ text, thought }) => text !== undefined && !thought)
    if (role !== 'model') {
      const said = parts.filter(({ functionResponse }) => !functionResponse)
      return said.length > 0 ? [{ id, timestamp, type: 'user', content: said }] : []
    }
    const toolCalls = parts.flatMap(({ functionCall: call }) => {
      if (!call) return []
      const result = results.get(call.id)
      const hasFailed = result?.functionResponse?.response?.error !== undefined
      return [{ args: {}, ...call, result: result ? [result] : [], status: hasFailed ? 'error' : 'success', timestamp }]
    })
    const content = texts.map(({ text }) => text).join('')
    if (content === '' && toolCalls.length === 0) return []
    return [{ id, timestamp, type: 'gemini', content, thoughts: [], ...(toolCalls.length > 0 && { toolCalls }) }]
  })
}
