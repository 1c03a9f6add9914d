/**
 * Asks the client for input during a call. The tool returns `inputRequired(…)` for both eras: a client of 2026-07-28
 * gets it as the result and calls again (MRTR), an older client gets real requests.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../base/backoff.ts'
import type { Client, InputRequest } from '../mcp/mcp.ts'
import { assertCapable, errorCode, isInputRequired, RpcError } from '../mcp/mcp.ts'

/** More than any honest call needs. */
const maxRounds = 100
/** The delays of a call that asks nothing and only wants to be repeated. */
const polling = { firstMs: 100, longestMs: 5_000 }

export interface Round {
  readonly answers: Readonly<Record<string, unknown>>
  readonly state: unknown
}

/** For legacy clients: asks, waits for the answers, and runs the call again until its result is complete. */
export async function runWithRequests(
  client: Client,
  run: (round: Round) => object | Promise<object>,
  ask: (request: InputRequest) => Promise<unknown>,
  signal: () => AbortSignal,
): Promise<object> {
  let round: Round = { answers: {}, state: undefined }
  for (let count = 0; count < maxRounds; count++) {
    const result = await run(round)
    if (!isInputRequired(result)) return result
    assertCapable(result, client)
    const asked = Object.entries(result.inputRequests ?? {})
    if (asked.length === 0) await sleep(backoffMs(polling, count + 1), undefined, { signal: signal() })
    const answers = await Promise.all(asked.map(async ([key, request]) => [key, await ask(request)] as const))
    round = { answers: Object.fromEntries(answers), state: result.state }
  }
  throw new RpcError(
    errorCode.internal,
    `The hub ended the call, because it asked its client more than ${maxRounds} times.`,
  )
}
