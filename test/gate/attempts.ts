/** The ways in which an agent acts over HTTP, in both eras, and the outcome of each attempt. */
import { isRecord } from '../../src/base/is-record.ts'
import { connectLegacy, type LegacyConnection } from '../http/legacy-connection.ts'
import { exchange, type Target } from '../http/exchange.ts'
import { modernStream, modernSpec } from '../http/modern-request.ts'
import type { Path } from './paths.ts'

export type Era = 'legacy' | 'modern'
export type Outcome = 'ran' | 'denied' | 'aborted' | 'waiting' | 'cancelled' | `error ${number}` | 'left'

export interface Attempt {
  readonly outcome: Promise<Outcome>
  /** The agent's client cancels its request. */
  cancel(): Promise<void>
  /** Its socket closes without a cancellation. */
  cut(): void
}

export interface AgentClient extends AsyncDisposable {
  /** `takesStreams: false`: the client cannot come back for its answer once its socket is closed. */
  attempt(path: Path, options?: { readonly takesStreams?: boolean }): Attempt
}

export async function connectAgent(target: Target, era: Era): Promise<AgentClient> {
  return era === 'modern' ? modernAgent(target) : legacyAgent(target, await connectLegacy(target))
}

function modernAgent(target: Target): AgentClient {
  return {
    attempt({ method, params }) {
      const leaving = new AbortController()
      const outcome = outcomeUnlessLeft(target, modernSpec(method, params), leaving.signal)
      // This era has no other way to cancel a request.
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
      const spec = connection.spec({ jsonrpc: '2.0', id, method, params }, headers)
      return {
        outcome: outcomeUnlessLeft(target, spec, leaving.signal),
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
  spec: Parameters<typeof exchange>[1],
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const { text } = await exchange(target, { ...spec, signal })
    return outcomeOf(JSON.parse(lastMessageIn(text)))
  } catch (error) {
    if (signal.aborted) return 'left'
    throw error
  }
}

/** `subscriptions/listen` waits for no person: it acknowledges only the resources that may be followed. */
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

/** A slow answer comes as a stream, whose last event is the answer. */
function lastMessageIn(text: string): string {
  const messages = text.split('\n').filter((line) => line.startsWith('data: {'))
  return messages.findLast((line) => isAnswer(line.slice(6)))?.slice(6) ?? text
}

function isAnswer(line: string): boolean {
  const message: unknown = JSON.parse(line)
  return isRecord(message) && !('method' in message)
}
