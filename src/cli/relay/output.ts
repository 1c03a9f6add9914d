/** Writes messages to the relay's stdout, one per line. */
import { createSerial } from '../../base/serial.ts'
import type { Id, RpcFailure } from './message.ts'

export interface Output {
  /** Resolves when the output can take more. */
  write(message: string): Promise<void>
  /** Answers these requests instead of the hub. */
  fail(ids: readonly (Id | null)[], error: RpcFailure): Promise<void>
}

export function createOutput(writeLine: (line: string) => Promise<void>): Output {
  const inTurn = createSerial()
  // In JSON, line breaks occur only between tokens, where a space means the same.
  const write = (message: string) => inTurn(() => writeLine(`${message.replaceAll(/[\r\n]+/g, ' ')}\n`))
  return {
    write,
    async fail(ids, error) {
      for (const id of ids) await write(JSON.stringify({ jsonrpc: '2.0', id, error }))
    },
  }
}

/** The same code as the hub uses. */
const unavailable = -32001

export function unavailableError(message: string, data?: unknown): RpcFailure {
  return { code: unavailable, message, ...(data !== undefined && { data }) }
}

export const outcomeUnknown = unavailableError(
  'The connection to the hub broke while this request ran: its outcome is unknown. Check its effect before you repeat it.',
  { outcome: 'unknown' },
)
