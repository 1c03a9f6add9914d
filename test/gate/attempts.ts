/** The ways an agent can make something happen over HTTP, in both eras, and what became of each attempt. */
import { isRecord } from '../../src/base/is-record.ts'
import { connectLegacy, type LegacyConnection } from '../http/legacy-connection.ts'
import { exchange, type Target } from '../http/exchange.ts'
import { modernStream, modernWish } from '../http/modern-request.ts'
import type { Path } from './paths.ts'

export type Era = 'legacy' | 'modern'
export type Outcome = 'ran' | 'denied' | 'aborted' | 'waiting' | 'cancelled' | `error ${number}` | 'left'

export interface Attempt {
  readonly outcome: Promise<Outcome>
  /** The agent's client takes its request back. */
  cancel(): Promise<void>
  /** Its connection is gone, without a word. */
  cut(): void
}

export interface AgentClient extends AsyncDisposable {
  /** One that takes no stream cannot come back to its answer once its connection is gone. */
  attempt(path: Path, options?: { readonly takesStreams?: boolean }): Attempt
}

export async function connectAgent(target: Target, era: Era): Promise<AgentClient> {
  return era === 'modern' ? modernAgent(target) : legacyAgent(target, await connectLegacy(target))
}

function modernAgent(target: Target): AgentClient {
  return {
    attempt({ method, params }) {
      const leaving = new AbortController()
      const outcome = outcomeUnlessLeft(target, modernWish(method, params), leaving.signal)
      // In this era there is no other way to take a request back.
      return { outcome, cancel: async () => leaving.abort(), cut: () => leaving.abort() }
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

function legacyAgent(target: Target, connection: LegacyConnection): AgentClient {
  return {
    attempt({ method, params }, { takesStreams = true } = {}) {
      const leaving = new AbortController()
      const id = connection.nextId()
      const headers = takesStreams ? {} : { accept: 'application/json' }
      const wish = connection.wish({ jsonrpc: '2.0', id, method, params }, headers)
      return {
        outcome: outcomeUnlessLeft(target, wish, leaving.signal),
        cancel: async () => void (await connection.notify('notifications/cancelled', { requestId: id })),
        cut: () => leaving.abort(),
      }
    },
    async [Symbol.asyncDispose]() {
      await connection.end()
    },
  }
}

async function outcomeUnlessLeft(
  target: Target,
  wish: Parameters<typeof exchange>[1],
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const { text } = await exchange(target, { ...wish, signal })
    return outcomeOf(JSON.parse(lastMessageIn(text)))
  } catch (error) {
    if (signal.aborted) return 'left'
    throw error
  }
}

/** `subscriptions/listen` waits for no person: what may not be followed is left out of what it promises. */
export async function followByStream(target: Target, uri: string): Promise<Outcome> {
  using stream = await modernStream(target, 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
  return JSON.stringify(await stream.message()).includes(uri) ? 'ran' : 'denied'
}

const outcomeOfCode: Readonly<Record<number, Outcome>> = {
  [-32950]: 'aborted',
  [-32951]: 'denied',
  [-32800]: 'cancelled',
}

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

export function outcomeOf({ result = {}, error }: Answer): Outcome {
  if (error) {
    if (error.message.startsWith('Waiting for approval')) return 'waiting'
    return outcomeOfCode[error.code] ?? `error ${error.code}`
  }
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
