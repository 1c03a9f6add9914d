/**
 * stdio ↔ the endpoint of a hub. Messages of both eras pass as they are, also those the relay does not know; it reads
 * only what HTTP wants to know of them.
 *
 *   line → era → POST → JSON or event stream → lines
 *
 * Each request is answered once, by the hub or, where that cannot be had any more, by the relay.
 */
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../base/hub-error.ts'
import { linesOf } from '../../base/lines.ts'
import { CliError } from '../cli-error.ts'
import type { HubAddress } from '../hub-address.ts'
import type { BridgeContext } from './bridge-context.ts'
import { createLegacyBridge } from './bridge-legacy.ts'
import { createModernBridge } from './bridge-modern.ts'
import { createHubHttp } from './hub-http.ts'
import type { Id } from './message.ts'
import { readMessage } from './message.ts'
import { createOutput, outcomeUnknown, unavailableError } from './output.ts'

export interface HttpBridge {
  readonly address: HubAddress
  readonly input: Readable
  /** Resolves when there is room for more. */
  write(line: string): Promise<void>
  readonly maxLineBytes: number
}

/** A client that has said all it wants to say may still wait for answers, but not for ever. */
const lingerMs = 1_000

/** Resolves when the input has ended; rejects when the hub does not let us in. */
export async function bridgeHttp({ address, input, write, maxLineBytes }: HttpBridge): Promise<void> {
  using http = createHubHttp(address)
  const output = createOutput(write)
  const ending = new AbortController()
  const refused = Promise.withResolvers<never>()
  const running = new Set<Promise<void>>()

  async function giveUp(ids: readonly Id[], error: unknown): Promise<void> {
    await output.fail(ids, error instanceof CliError ? unavailableError(messageOf(error)) : outcomeUnknown)
    if (error instanceof CliError && error.exit === 'unauthorized') refused.reject(error)
  }

  const context: BridgeContext = { http, output, signal: ending.signal, giveUp }
  const modern = createModernBridge(context)
  const legacy = createLegacyBridge(context)

  function run(work: Promise<void>): void {
    const tracked = work.finally(() => running.delete(tracked))
    running.add(tracked)
  }

  async function readAll(): Promise<void> {
    for await (const line of linesOf(input, maxLineBytes)) {
      if (line.length === 0) continue
      const message = readMessage(line)
      if (!message) await output.fail([null], { code: -32700, message: 'The line is no message of JSON-RPC.' })
      else if (message.revision !== undefined && message.ids.length > 0) run(modern.request(message))
      else if (modern.cancel(message)) continue
      // What follows needs the connection that `initialize` opens, and notifications keep their order.
      else if (message.method === 'initialize' || message.ids.length === 0) await legacy.pass(message)
      else run(legacy.pass(message))
    }
    await Promise.race([Promise.all(running), sleep(lingerMs)])
  }

  try {
    await Promise.race([readAll(), refused.promise])
  } finally {
    ending.abort()
    await legacy.end()
  }
}
