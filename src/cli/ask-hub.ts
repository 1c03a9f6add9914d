/** One tool call, from command line to answer: what `status` and the `token` commands are made of. */
import { CliError } from './cli-error.ts'
import type { Arguments, CliContext } from './command.ts'
import { loadFor } from './common-flags.ts'
import { findHub } from './hub-address.ts'
import { connectToHub } from './hub-client.ts'
import type { HubConnection, ToolAnswer } from './hub-client.ts'

type HubArguments = Arguments<'home' | 'url' | 'token-file'>

export async function connectFrom(args: HubArguments, context: CliContext): Promise<HubConnection> {
  const { config } = await loadFor(args, context)
  return connectToHub(findHub(config, { url: args.text('url'), tokenFile: args.text('token-file') }))
}

/** The structured result. An error the tool answers with becomes ours. */
export async function askHub(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  args: HubArguments,
  context: CliContext,
): Promise<Readonly<Record<string, unknown>>> {
  await using hub = await connectFrom(args, context)
  return structuredOf(tool, await hub.callTool(tool, input))
}

function structuredOf(tool: string, answer: ToolAnswer): Readonly<Record<string, unknown>> {
  if (answer.isError) throw new CliError('tool-error', answer.text)
  if (answer.structured === undefined) {
    throw new CliError('failed', `${tool} answered without a structured result: is this hub of another version?`)
  }
  return answer.structured
}
