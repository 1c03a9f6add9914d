/** One tool call, from command line to answer: what most commands are made of. */
import type { Config } from '../config/config.ts'
import { CliError } from './cli-error.ts'
import type { Arguments, CliContext } from './command.ts'
import { loadFor } from './common-flags.ts'
import { findHub } from './hub-address.ts'
import { connectToHub } from './hub-client.ts'
import type { CallOptions, HubConnection, ToolAnswer } from './hub-client.ts'

export type HubArguments = Arguments<'home' | 'url' | 'token-file'>

export async function connectFrom(args: HubArguments, context: CliContext): Promise<HubConnection> {
  const { connect } = await findHubFrom(args, context)
  return connect()
}

export interface FoundHub {
  readonly config: Config
  /** Looks anew each time where the hub is: another one may have come up elsewhere. */
  connect(): Promise<HubConnection>
}

export async function findHubFrom(args: HubArguments, context: CliContext): Promise<FoundHub> {
  const { config } = await loadFor(args, context)
  const given = { url: args.text('url'), tokenFile: args.text('token-file') }
  return { config, connect: async () => connectToHub(findHub(config, given)) }
}

/** The structured result. An error the tool answers with becomes ours. */
export async function askHub(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  args: HubArguments,
  context: CliContext,
  options?: CallOptions,
): Promise<Readonly<Record<string, unknown>>> {
  await using hub = await connectFrom(args, context)
  return await ask(hub, tool, input, options)
}

/** The same over a connection that is there. */
export async function ask(
  hub: HubConnection,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  options?: CallOptions,
): Promise<Readonly<Record<string, unknown>>> {
  return structuredOf(tool, await hub.callTool(tool, input, options))
}

function structuredOf(tool: string, answer: ToolAnswer): Readonly<Record<string, unknown>> {
  if (answer.isError) throw new CliError('tool-error', answer.text)
  if (answer.structured === undefined) {
    throw new CliError('failed', `${tool} answered without a structured result: is this hub of another version?`)
  }
  return answer.structured
}
