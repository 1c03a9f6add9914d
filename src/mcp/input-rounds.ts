/**
 * Asking the client for something in the middle of a call, written once by the tool as `inputRequired(…)`:
 * 2026-07-28 carries it in the result and the client calls again (MRTR); older clients get real requests.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, InputRequest, InputRequired } from './provider.ts'
import { isInputRequired } from './provider.ts'
import type { ClientCapabilities } from './sdk.ts'
import { errorCode, isRecord, RpcError } from './wire.ts'

/** More than any honest call needs. */
const maxRounds = 100
/** Of a call that asks nothing and only wants to be made again. */
const pauseMs = { first: 100, longest: 5_000 }

export interface Round {
  readonly answers: Readonly<Record<string, unknown>>
  readonly state: unknown
}

/** For legacy clients: asks, waits, and runs again until the result is complete. */
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
    if (asked.length === 0)
      await sleep(Math.min(pauseMs.first * 2 ** count, pauseMs.longest), undefined, { signal: signal() })
    const answers = await Promise.all(asked.map(async ([key, request]) => [key, await ask(request)] as const))
    round = { answers: Object.fromEntries(answers), state: result.state }
  }
  throw new RpcError(errorCode.internal, `The call asked its client more than ${maxRounds} times and was given up.`)
}

export function canBeAsked(client: Client, request: InputRequest): boolean {
  return Object.entries(capabilityFor(request)).every(([name, need]) => isDeclared(client.capabilities, name, need))
}

/** A client must not be asked for what it did not declare. */
export function assertCapable(result: InputRequired, client: Client): void {
  const required = Object.assign({}, ...Object.values(result.inputRequests ?? {}).map(capabilityFor)) as object
  const missing = Object.entries(required).filter(([name, need]) => !isDeclared(client.capabilities, name, need))
  if (missing.length > 0) throw missingCapability(Object.fromEntries(missing))
}

export function missingCapability(requiredCapabilities: ClientCapabilities): RpcError {
  const names = Object.keys(requiredCapabilities).join(', ')
  return new RpcError(errorCode.missingCapability, `This needs a client that declares the capability: ${names}.`, {
    data: { requiredCapabilities },
    status: 400,
  })
}

function capabilityFor({ method, params }: InputRequest): object {
  switch (method) {
    case 'elicitation/create':
      return { elicitation: params?.['mode'] === 'url' ? { url: {} } : { form: {} } }
    case 'sampling/createMessage':
      return { sampling: params?.['tools'] === undefined ? {} : { tools: {} } }
    case 'roots/list':
      return { roots: {} }
  }
}

function isDeclared(capabilities: ClientCapabilities, name: string, need: unknown): boolean {
  const declared = (capabilities as Readonly<Record<string, unknown>>)[name]
  if (!isRecord(declared)) return false
  // Before modes existed `elicitation` alone meant forms, and still does.
  const namesNoMode = name === 'elicitation' && !('form' in declared) && !('url' in declared)
  if (namesNoMode) return isRecord(need) && 'form' in need
  return !isRecord(need) || Object.keys(need).every((member) => member in declared)
}
