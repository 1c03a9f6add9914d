/**
 * Connects stdio to the endpoint of a hub. Forwards messages of both eras unchanged, even those that the relay does not
 * know. It reads only the parts that the HTTP headers need.
 *
 *   line → era → POST → JSON or event stream → lines
 *
 * Each request gets exactly one answer: from the hub, or from the relay if the hub cannot answer any more.
 */
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../base/hub-error.ts'
import { linesOf } from '../../base/lines.ts'
import { CliError } from '../command/cli-error.ts'
import type { HubAddress } from '../hub-client/hub-address.ts'
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
  /** Resolves when the output can take more. */
  write(line: string): Promise<void>
  readonly maxLineBytes: number
}

/** How long the relay waits for answers after its input has ended. */
const lingerMs = 1_000

/** Resolves when the input has ended. Rejects when the hub refuses the token. */
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
      if (!message) await output.fail([null], { code: -32700, message: 'The line is not a JSON-RPC message.' })
      else if (message.revision !== undefined && message.ids.length > 0) run(modern.request(message))
      else if (modern.cancel(message)) continue
      // Waits for `initialize`, because the next messages need its connection, and for notifications, to keep their order.
      else if (message.method === 'initialize' || message.ids.length === 0) await legacy.forward(message)
      else run(legacy.forward(message))
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
