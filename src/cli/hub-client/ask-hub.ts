/** Makes one tool call from the arguments of a command. Most commands need only this. */
import type { Config } from '../../config/config.ts'
import { CliError } from '../command/cli-error.ts'
import type { Arguments, CliContext } from '../command/command.ts'
import { loadFor } from '../command/common-flags.ts'
import { inFlagWords } from './flag-words.ts'
import { findHub } from './hub-address.ts'
import { createHubClient } from './hub-client.ts'
import type { CallOptions, HubClient, ToolAnswer } from './hub-client.ts'

export type HubArguments = Arguments<'home' | 'url' | 'token-file'>

export async function openHubClient(args: HubArguments, context: CliContext): Promise<HubClient> {
  const { connect } = await findHubFrom(args, context)
  return connect()
}

export interface HubFinder {
  readonly config: Config
  /** Looks up the address each time, because a restarted hub may have another one. */
  connect(): HubClient
}

export async function findHubFrom(args: HubArguments, context: CliContext): Promise<HubFinder> {
  const { config } = await loadFor(args, context)
  const given = { url: args.text('url'), tokenFile: args.text('token-file') }
  return { config, connect: () => createHubClient(findHub(config, given)) }
}

/** Returns the structured result. Throws if the tool answers with an error. */
export async function askHub(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  args: HubArguments,
  context: CliContext,
  options?: CallOptions,
): Promise<Readonly<Record<string, unknown>>> {
  using hub = await openHubClient(args, context)
  return await ask(hub, tool, input, options)
}

/** The same with an existing client. */
export async function ask(
  hub: HubClient,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  options?: CallOptions,
): Promise<Readonly<Record<string, unknown>>> {
  return structuredOf(tool, await hub.callTool(tool, input, options))
}

function structuredOf(tool: string, answer: ToolAnswer): Readonly<Record<string, unknown>> {
  if (answer.isError) throw new CliError('tool-error', inFlagWords(answer.text), { cause: answer.result })
  if (answer.structured === undefined) {
    throw new CliError(
      'failed',
      `${tool} answered without a structured result. Is the hub another version? Compare "signalbox status" with "signalbox --version".`,
    )
  }
  return answer.structured
}
