/** `signalbox probe`: talks to the hub as a client of each MCP revision, and reports which ones work. */
import { messageOf } from '../../base/hub-error.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag, loadFor } from '../command/common-flags.ts'
import { findHub, withAllToolsets } from '../hub-client/hub-address.ts'
import type { HubAddress } from '../hub-client/hub-address.ts'
import { connectWithSdk, prepareSdk } from './sdk-client.ts'
import { renderTable } from '../terminal-output/table.ts'

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

export const command = defineCommand({
  takes: '[url]',
  about: [
    'For each MCP revision from 2024-11-05 to 2026-07-28, connects as a client of that revision, lists the tools and calls',
    'hub_status. Fails if one of the revisions does not work.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 0, max: 1 },
  examples: ['signalbox probe', 'signalbox probe https://hub.example.org/mcp --token-file ./token'],
  async run(args, context) {
    const { config } = await loadFor(args, context)
    const address = findHub(config, { url: args.words[0] ?? args.text('url'), tokenFile: args.text('token-file') })
    const outcomes = await probe(address)
    context.out(
      args.has('json') ? JSON.stringify({ url: address.url, revisions: outcomes }, null, 2) : asTable(outcomes),
    )
    for (const { revision, fault } of outcomes) {
      if (fault !== undefined) context.err(`signalbox: ${revision}: ${fault}`)
    }
    if (outcomes.every(({ handshake }) => !handshake)) {
      context.err(`signalbox: no hub answers at ${address.url}. Check the address; that of a hub ends in /mcp.`)
    }
    return outcomes.every(({ fault }) => fault === undefined) ? 'ok' : 'failed'
  },
})

export interface ProbeOutcome {
  readonly revision: string
  /** `handshake`, `tools` and `call` are the steps that worked. */
  readonly handshake: boolean
  readonly tools?: number
  readonly call: boolean
  readonly ms: number
  readonly fault?: string
}

async function probe(address: HubAddress): Promise<readonly ProbeOutcome[]> {
  await prepareSdk()
  const outcomes: ProbeOutcome[] = []
  for (const revision of revisions) outcomes.push(await probeOne(withAllToolsets(address), revision))
  return outcomes
}

async function probeOne(address: HubAddress, revision: string): Promise<ProbeOutcome> {
  const startedAt = performance.now()
  const done: { handshake: boolean; tools?: number; call: boolean } = { handshake: false, call: false }
  const outcome = () => ({ revision, ...done, ms: Math.round(performance.now() - startedAt) })
  try {
    await using hub = await connectWithSdk(address, revision)
    if (hub.revision !== revision) return { ...outcome(), fault: `the hub answered with revision ${hub.revision}` }
    done.handshake = true
    done.tools = await hub.countTools()
    const fault = await hub.callTool('hub_status')
    if (fault !== undefined) return { ...outcome(), fault }
    done.call = true
    return outcome()
  } catch (error) {
    // If no hub answers or the token is refused, the other revisions fail in the same way.
    if (error instanceof CliError && (error.exit === 'unreachable' || error.exit === 'unauthorized')) throw error
    return { ...outcome(), fault: messageOf(error) }
  }
}

function asTable(outcomes: readonly ProbeOutcome[]): string {
  return renderTable([
    ['revision', 'handshake', 'tools', 'call', 'ms'],
    ...outcomes.map(({ revision, handshake, tools, call, ms }) => [
      revision,
      word(handshake),
      tools === undefined ? 'failed' : String(tools),
      word(call),
      String(ms),
    ]),
  ])
}

function word(ok: boolean): string {
  return ok ? 'ok' : 'failed'
}
