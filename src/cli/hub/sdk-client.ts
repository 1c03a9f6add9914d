/** The SDK's client. Only `signalbox probe` uses it, to act as a client of each MCP revision. */
import type { Client, jsonSchemaValidator, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { clientRevision } from '../../client/client.ts'
import { CliError } from '../command/cli-error.ts'
import { createSocketFetch } from './socket-fetch.ts'
import type { Fetch } from './socket-fetch.ts'
import { unsafeSocket } from '../hub-client/hub-address.ts'
import type { HubAddress } from '../hub-client/hub-address.ts'
import { explainStatus, noHubAt } from '../hub-client/hub-client.ts'
import { packageVersion } from '../../base/package-files.ts'

export interface SdkClient extends AsyncDisposable {
  /** The revision both sides agreed on. */
  readonly revision: string
  countTools(): Promise<number>
  /** Calls a tool without arguments. Returns its error message, if it answers with an error. */
  callTool(name: string): Promise<string | undefined>
}

const answerWithinMs = 15_000

/** Loads the SDK before calls are timed, because loading takes longer than a call. */
export async function prepareSdk(): Promise<void> {
  await loadSdk()
}

function loadSdk() {
  return Promise.all([import('@modelcontextprotocol/client'), import('@modelcontextprotocol/client/validators/ajv')])
}

export async function connectWithSdk(address: HubAddress, revision: string): Promise<SdkClient> {
  const [sdk, { AjvJsonSchemaValidator }] = await loadSdk()
  const exchange: LastExchange = {}
  const transport = new sdk.StreamableHTTPClientTransport(new URL(address.url), {
    requestInit: { headers: address.token === undefined ? {} : { Authorization: `Bearer ${address.token}` } },
    fetch: recordOutcome(exchange, address.socket === undefined ? fetch : createSocketFetch(address.socket)),
  })
  const client = new sdk.Client(
    { name: 'signalbox-cli', version: packageVersion() },
    { ...negotiation(revision), jsonSchemaValidator: compileWhenUsed(new AjvJsonSchemaValidator()) },
  )
  const explained = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw explain(error, exchange, address)
    }
  }

  await explained(client.connect(transport, { timeout: answerWithinMs }))
  return {
    revision: client.getNegotiatedProtocolVersion() ?? clientRevision,
    async countTools() {
      const { tools } = await explained(client.listTools(undefined, { timeout: answerWithinMs }))
      return tools.length
    },
    async callTool(name) {
      const { isError, content } = await explained(client.callTool({ name }, { timeout: answerWithinMs }))
      return isError ? content.map((block) => (block.type === 'text' ? block.text : '')).join('\n') : undefined
    },
    [Symbol.asyncDispose]: () => disconnect(client, transport),
  }
}

/** Accepts only this revision. */
function negotiation(revision: string): ConstructorParameters<typeof Client>[1] {
  if (revision === clientRevision) return { versionNegotiation: { mode: { pin: revision } } }
  return { supportedProtocolVersions: [revision] }
}

/** The SDK gets a validator for the output of each listed tool. There are more than a hundred, and one is called. */
function compileWhenUsed(validators: jsonSchemaValidator): jsonSchemaValidator {
  return {
    getValidator<T>(schema: Parameters<typeof validators.getValidator>[0]) {
      let compiled: ReturnType<typeof validators.getValidator<T>> | undefined
      return (input: unknown) => (compiled ??= validators.getValidator<T>(schema))(input)
    },
  }
}

/** The outcome of the last POST. We explain failures by it, because the SDK's own errors differ by era and timing. */
interface LastExchange {
  /** The HTTP status. Absent until there was one. */
  outcome?: number | 'unreachable' | HubError
}

function recordOutcome(exchange: LastExchange, send: Fetch): Fetch {
  return async (url, init) => {
    try {
      const response = await send(url, init)
      if (init?.method === 'POST') exchange.outcome = response.status
      return response
    } catch (error) {
      if (error instanceof HubError) exchange.outcome = error
      // We cancelled the request ourselves after the timeout. That says nothing about the hub.
      else if (init?.method === 'POST' && !init.signal?.aborted) exchange.outcome = 'unreachable'
      throw error
    }
  }
}

function explain(error: unknown, { outcome = 'unreachable' }: LastExchange, address: HubAddress): CliError {
  if (outcome instanceof HubError) return unsafeSocket(outcome)
  if (outcome === 'unreachable') return noHubAt(address, error)
  const isKnown = [401, 403, 404, 429, 503].includes(outcome)
  return isKnown ? explainStatus(outcome, error, address) : new CliError('failed', messageOf(error), { cause: error })
}

/** Ends the legacy connection at the hub, which would keep it otherwise. */
async function disconnect(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  await transport.terminateSession().catch(() => {})
  await client.close()
}
