/** `signalbox call`: calls any tool of the hub from the shell. */
import { openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { CliContext } from '../command/command.ts'
import { hubFlags } from '../command/common-flags.ts'
import { readDuration } from '../command/duration-flag.ts'
import { readJsonObject } from '../command/json-input.ts'

/** How long a call may run without progress. */
const silentMs = 300_000

export const command = defineCommand({
  takes: '<tool> [json | -]',
  about: [
    'Calls a tool with a JSON object as its arguments ("-" reads it from stdin) and prints its structured result, or its',
    'text if it has none. If the tool answers with an error, the error goes to stderr and the exit code is 5. If the policy',
    'or a person refuses the call, the exit code is 9. A call that needs an approval waits until a person answers or the',
    'approval expires.',
  ].join('\n'),
  flags: {
    timeout: { takes: 'TIME', about: 'how long to wait, also for an approval (default: 5m without progress)' },
    ...hubFlags,
    json: { about: 'print the whole result' },
  },
  words: { min: 1, max: 2 },
  examples: ['signalbox call hub_status', `signalbox call query_events '{"limit": 5}'`],
  async run(args, context) {
    const [tool = '', given = '{}'] = args.words
    const input = parseInput(given === '-' ? await context.readStdin() : given)
    const limit = args.has('timeout') ? { withinMs: readDuration(args, 'timeout', '') } : {}

    using hub = await openHubClient(args, context)
    const answer = await hub.callTool(tool, input, { timeoutMs: silentMs, ...limit, onHeld: noteOnce(context) })
    if (args.has('json')) {
      context.out(JSON.stringify(answer.result, null, 2))
      return answer.isError ? 'tool-error' : 'ok'
    }
    if (answer.isError) throw new CliError('tool-error', withAdvice(answer.text), { cause: answer.result })
    context.out(answer.structured ? JSON.stringify(answer.structured, null, 2) : answer.text)
    return 'ok'
  },
})

function parseInput(text: string): Record<string, unknown> {
  const input = readJsonObject(text)
  if (input.is === 'object') return input.value
  throw new CliError('usage', `These are not the arguments of a tool: ${input.fault}. Write them like '{"limit": 5}'.`)
}

function withAdvice(message: string): string {
  if (!message.startsWith('Wrong arguments')) return message
  return `${message} "signalbox tools --management --json" shows the arguments of each tool.`
}

/** The hub repeats its progress while the call waits. */
function noteOnce(context: CliContext): (approval: string) => void {
  const noted = new Set<string>()
  return (approval) => {
    if (noted.has(approval)) return
    noted.add(approval)
    context.err(`signalbox: the call waits for approval ${approval}. "signalbox approvals show ${approval}" shows it.`)
  }
}
