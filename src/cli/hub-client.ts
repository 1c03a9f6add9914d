/**
 * The CLI's side of MCP, and the one place that imports the SDK's client. It speaks 2026-07-28 where the hub does,
 * and what came before otherwise; a caller may ask for one revision and no other.
 */
import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { isRefusal } from '../api/policy-errors.ts'
import { messageOf } from '../base/hub-error.ts'
import { CliError } from './cli-error.ts'
import type { HubAddress } from './hub-address.ts'
import { readVersion } from './installation.ts'

export interface HubConnection extends AsyncDisposable {
  /** The revision both sides agreed on. */
  readonly revision: string
  listTools(): Promise<readonly string[]>
  callTool(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ToolAnswer>
}

export interface CallOptions {
  /** How long to wait without a sign of progress. */
  readonly timeoutMs?: number
}

export interface ToolAnswer {
  readonly isError: boolean
  /** Present unless the tool answers with text or pictures alone. */
  readonly structured?: Readonly<Record<string, unknown>>
  readonly text: string
  /** The whole result, as it came. */
  readonly result: unknown
}

export const modernRevision = '2026-07-28'

const answerWithinMs = 15_000

/** Loading the SDK takes longer than a call; whoever measures calls does it before. */
export async function prepareClient(): Promise<void> {
  await import('@modelcontextprotocol/client')
}

export async function connectToHub(address: HubAddress, options: { revision?: string } = {}): Promise<HubConnection> {
  const sdk = await import('@modelcontextprotocol/client')
  const exchange: LastExchange = {}
  const transport = new sdk.StreamableHTTPClientTransport(new URL(address.url), {
    requestInit: { headers: address.token === undefined ? {} : { Authorization: `Bearer ${address.token}` } },
    fetch: watched(exchange),
  })
  const client = new sdk.Client({ name: 'signalbox-cli', version: readVersion() }, negotiation(options.revision))
  const explained = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw explain(error, exchange, address)
    }
  }

  await explained(client.connect(transport, { timeout: answerWithinMs }))
  return {
    revision: client.getNegotiatedProtocolVersion() ?? modernRevision,
    async listTools() {
      const { tools } = await explained(client.listTools(undefined, { timeout: answerWithinMs }))
      return tools.map(({ name }) => name)
    },
    async callTool(name, args, { timeoutMs = answerWithinMs } = {}) {
      const alive = { timeout: timeoutMs, resetTimeoutOnProgress: true, onprogress: () => {} }
      return toAnswer(await explained(client.callTool({ name, arguments: { ...args } }, alive)))
    },
    [Symbol.asyncDispose]: () => disconnect(client, transport),
  }
}

/** Without a revision: the newest both know. With one: that or nothing. */
function negotiation(revision: string | undefined): ConstructorParameters<typeof Client>[1] {
  if (revision === undefined) return { versionNegotiation: { mode: 'auto' } }
  if (revision === modernRevision) return { versionNegotiation: { mode: { pin: revision } } }
  return { supportedProtocolVersions: [revision] }
}

/** What the last POST came to. The SDK's errors differ by era and by moment; this does not. */
interface LastExchange {
  /** The HTTP status. Absent until there was one. */
  outcome?: number | 'unreachable'
}

function watched(exchange: LastExchange): typeof fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, init)
      if (init?.method === 'POST') exchange.outcome = response.status
      return response
    } catch (error) {
      // We let go ourselves when the time was up; that says nothing about the hub.
      if (init?.method === 'POST' && !init.signal?.aborted) exchange.outcome = 'unreachable'
      throw error
    }
  }
}

function explain(error: unknown, { outcome }: LastExchange, { url, token, tokenFrom }: HubAddress): CliError {
  const because = { cause: error }
  switch (outcome) {
    case undefined:
    case 'unreachable':
      return new CliError('unreachable', `No hub answers at ${url}; start it with "signalbox up".`, because)
    case 401:
      return new CliError(
        'unauthorized',
        token === undefined
          ? `The hub at ${url} wants a token, and there is none in ${tokenFrom}: set SIGNALBOX_TOKEN, or name the data directory of that hub with --home.`
          : `The hub at ${url} does not accept the token of ${tokenFrom}: it is unknown, expired or revoked. "signalbox token issue" makes another; a hub that starts puts a good one into its own token file.`,
        because,
      )
    case 403:
      return new CliError(
        'unauthorized',
        `The hub refuses requests for ${new URL(url).host}: add that name to allowed_hosts, or use its own address.`,
        because,
      )
    case 404:
      return new CliError(
        'failed',
        `There is no MCP endpoint at ${url}, or the session of this token is gone: check the URL and the token.`,
        because,
      )
    case 429:
      return new CliError('failed', `The hub at ${url} has had too many requests from here: wait a minute.`, because)
    case 503:
      return new CliError('unreachable', `The hub at ${url} is starting or stopping: try again in a moment.`, because)
    default:
      if (isRefusal(codeOf(error))) return new CliError('denied', messageOf(error), because)
      return new CliError('failed', explainAnswer(error, url), because)
  }
}

/** JSON-RPC errors have numbers for codes, the SDK's own have names. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** It was reached, and let us in. */
function explainAnswer(error: unknown, url: string): string {
  const code = codeOf(error)
  if (code === 'REQUEST_TIMEOUT')
    return `The hub at ${url} did not answer in time; a call that takes long wants --timeout.`
  if (typeof code === 'number') return `The hub at ${url} says: ${messageOf(error)}`
  return `The exchange with ${url} broke off: ${messageOf(error)}. Is it a hub, and is it still there?`
}

function toAnswer(result: Awaited<ReturnType<Client['callTool']>>): ToolAnswer {
  return {
    isError: result.isError === true,
    ...(isRecord(result.structuredContent) && { structured: result.structuredContent }),
    text: result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n'),
    result,
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A legacy connection is something the hub keeps; tell it that nobody comes back. */
async function disconnect(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  await transport.terminateSession().catch(() => {})
  await client.close()
}
