/** The relay's stdout: messages, one per line. */
import { createSerial } from '../../base/serial.ts'
import type { Id, RpcFailure } from './message.ts'

export interface Output {
  /** Resolves when there is room for more. */
  say(message: string): Promise<void>
  /** Answers these requests in the place of the hub. */
  fail(ids: readonly (Id | null)[], error: RpcFailure): Promise<void>
}

export function createOutput(write: (line: string) => Promise<void>): Output {
  const inTurn = createSerial()
  // JSON has no line break but between its parts, where a blank says the same.
  const say = (message: string) => inTurn(() => write(`${message.replaceAll(/[\r\n]+/g, ' ')}\n`))
  return {
    say,
    async fail(ids, error) {
      for (const id of ids) await say(JSON.stringify({ jsonrpc: '2.0', id, error }))
    },
  }
}

/** As the hub itself says it (API, "Conventions"). */
const unavailable = -32001

export function unavailableError(message: string, data?: unknown): RpcFailure {
  return { code: unavailable, message, ...(data !== undefined && { data }) }
}

export const outcomeUnknown = unavailableError(
  'The connection to the hub broke while this request ran: its outcome is unknown. Look before you repeat it.',
  { outcome: 'unknown' },
)
