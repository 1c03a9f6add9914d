/** The ways an agent can make its upstream do something, in both eras, and what became of each attempt. */
import { isRecord } from '../../src/base/is-record.ts'
import { connectLegacy, type LegacyConnection } from '../http/legacy-connection.ts'
import { exchange, type Target } from '../http/exchange.ts'
import { modernWish } from '../http/modern-request.ts'

export type Era = 'legacy' | 'modern'
export type Outcome = 'ran' | 'denied' | 'aborted' | 'waiting' | 'cancelled' | `error ${number}` | 'left'

export interface Path {
  readonly name: string
  /** As the policy names it. */
  readonly tool: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

export const paths: readonly Path[] = [
  { name: 'a tool', tool: 'up_Act-Now', method: 'tools/call', params: { name: 'up_act_now', arguments: { a: 1 } } },
  { name: 'a resource', tool: 'up_read', method: 'resources/read', params: { uri: 'count://thing' } },
  {
    name: 'a resource read by a tool',
    tool: 'up_read',
    method: 'tools/call',
    params: { name: 'resources_read', arguments: { uri: 'count://thing' } },
  },
  {
    name: 'a resource followed by a tool',
    tool: 'up_read',
    method: 'tools/call',
    params: { name: 'resources_subscribe', arguments: { uri: 'count://thing' } },
  },
  { name: 'a prompt', tool: 'up_read', method: 'prompts/get', params: { name: 'up_hello' } },
  { name: 'a method of its own', tool: 'up_custom/deed', method: 'custom/deed', params: { x: 1 } },
]

export const lettingGo: Path = {
  name: 'a resource that is followed no longer',
  tool: 'resources_unsubscribe',
  method: 'tools/call',
  params: { name: 'resources_unsubscribe', arguments: { uri: 'count://thing' } },
}

export interface Attempt {
  readonly outcome: Promise<Outcome>
  /** The agent's client gives up, as its era does that. */
  leave(): Promise<void>
}

export interface AgentClient {
  attempt(path: Path): Attempt
}

export async function connectAgent(target: Target, era: Era): Promise<AgentClient> {
  return era === 'modern' ? modernAgent(target) : legacyAgent(target, await connectLegacy(target))
}

function modernAgent(target: Target): AgentClient {
  return {
    attempt({ method, params }) {
      const leaving = new AbortController()
      const outcome = exchange(target, modernWish(method, params, { signal: leaving.signal }))
        .then(({ text }) => outcomeOf(text))
        .catch((error: unknown): Outcome => {
          if (leaving.signal.aborted) return 'left'
          throw error
        })
      return { outcome, leave: async () => leaving.abort() }
    },
  }
}

function legacyAgent(target: Target, connection: LegacyConnection): AgentClient {
  return {
    attempt({ method, params }) {
      const id = connection.nextId()
      const outcome = exchange(target, connection.wish({ jsonrpc: '2.0', id, method, params })).then(({ text }) =>
        outcomeOf(text),
      )
      const leave = async () => void (await connection.notify('notifications/cancelled', { requestId: id }))
      return { outcome, leave }
    },
  }
}

const outcomeOfCode: Readonly<Record<number, Outcome>> = {
  [-32950]: 'aborted',
  [-32951]: 'denied',
  [-32800]: 'cancelled',
}

function outcomeOf(text: string): Outcome {
  const message = JSON.parse(lastMessageIn(text)) as {
    result?: Record<string, unknown>
    error?: { code: number; message: string }
  }
  if (message.error) {
    if (message.error.message.startsWith('Waiting for approval')) return 'waiting'
    return outcomeOfCode[message.error.code] ?? `error ${message.error.code}`
  }
  const { result = {} } = message
  if (result['resultType'] === 'input_required') return 'waiting'
  if (result['isError'] !== true) return 'ran'
  return JSON.stringify(result).includes('Waiting for approval') ? 'waiting' : 'denied'
}

/** What takes long is answered with a stream, whose last event is the answer. */
function lastMessageIn(text: string): string {
  const messages = text.split('\n').filter((line) => line.startsWith('data: {'))
  return messages.findLast((line) => isAnswer(line.slice(6)))?.slice(6) ?? text
}

function isAnswer(line: string): boolean {
  const message: unknown = JSON.parse(line)
  return isRecord(message) && !('method' in message)
}
