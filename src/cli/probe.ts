/** `signalbox probe`: talks to the hub as clients of every MCP revision do, and says which of them can. */
import { messageOf } from '../base/hub-error.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag, loadFor } from './common-flags.ts'
import { findHub } from './hub-address.ts'
import type { HubAddress } from './hub-address.ts'
import { connectToHub, modernRevision, prepareClient } from './hub-client.ts'
import { renderTable } from './table.ts'

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', modernRevision]

export const command = defineCommand({
  takes: '[url]',
  about: [
    'For each revision of MCP, from 2024-11-05 to 2026-07-28: opens a connection as a client of that revision does, lists',
    'the tools and calls hub_status. Fails if one of them does not work.',
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
    return outcomes.every(({ fault }) => fault === undefined) ? 'ok' : 'failed'
  },
})

export interface ProbeOutcome {
  readonly revision: string
  /** How far it came. */
  readonly handshake: boolean
  readonly tools?: number
  readonly call: boolean
  readonly ms: number
  readonly fault?: string
}

async function probe(address: HubAddress): Promise<readonly ProbeOutcome[]> {
  await prepareClient()
  const outcomes: ProbeOutcome[] = []
  for (const revision of revisions) outcomes.push(await probeOne(withAllToolsets(address), revision))
  return outcomes
}

async function probeOne(address: HubAddress, revision: string): Promise<ProbeOutcome> {
  const startedAt = performance.now()
  const reached: { handshake: boolean; tools?: number; call: boolean } = { handshake: false, call: false }
  const outcome = () => ({ revision, ...reached, ms: Math.round(performance.now() - startedAt) })
  try {
    await using hub = await connectToHub(address, { revision })
    if (hub.revision !== revision) return { ...outcome(), fault: `the hub answered as ${hub.revision}` }
    reached.handshake = true
    reached.tools = (await hub.listTools()).length
    const answer = await hub.callTool('hub_status', {})
    if (answer.isError) return { ...outcome(), fault: answer.text }
    reached.call = true
    return outcome()
  } catch (error) {
    // Where nobody answers, or nobody lets us in, the other revisions have nothing to add.
    if (error instanceof CliError && (error.exit === 'unreachable' || error.exit === 'unauthorized')) throw error
    return { ...outcome(), fault: messageOf(error) }
  }
}

function withAllToolsets(address: HubAddress): HubAddress {
  const url = new URL(address.url)
  url.searchParams.set('toolsets', 'all')
  return { ...address, url: url.href }
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
