/** `signalbox jobs add` */
import { sessionSchema } from '../../api/session.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import type { Arguments, CliContext } from '../command/command.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { readInteger } from '../command/number-flag.ts'
import { toShellLine } from '../../base/shell-line.ts'
import type { HubClient } from '../hub-client/hub-client.ts'
import { chooseDirectory, findTemplate, takesAgentArgs } from '../sessions/template-of.ts'

const flags = {
  template: {
    short: 't',
    takes: 'NAME',
    about: 'the template of its session (default: script for a command, else the hub’s agent)',
  },
  prompt: { short: 'p', takes: 'TEXT', about: 'text to type when the agent is ready; "-" reads it from stdin' },
  dir: { takes: 'DIR', about: 'its working directory (default: the template’s, else this one)' },
  description: { takes: 'TEXT', about: 'what it is for' },
  priority: { takes: 'NUMBER', about: 'a higher number runs first (default: 0)' },
  ...hubFlags,
  ...jsonFlag,
} as const

export const command = defineCommand({
  takes: '<name> [-- <command>… | -- <flags>…]',
  about: [
    'Queues a command, or an agent with --template and --prompt. When its turn comes, it runs in a session of that name.',
    'The hub keeps its output, its exit code and its times. One word after "--" is a shell line; several are a program and',
    'its arguments. With the --template of an agent they are flags for that agent. An agent keeps its place until it ends.',
  ].join('\n'),
  flags,
  words: { min: 1, max: 1 },
  takesRest: true,
  examples: [
    'signalbox jobs add nightly -- npm run soak',
    `signalbox jobs add count --dir ~/src -- 'ls | wc -l'`,
    'signalbox jobs add review --template claude --prompt "review the last commit"',
  ],
  async run(args, context) {
    if (args.rest.length === 0 && !args.has('template') && !args.has('prompt')) {
      throw new CliError(
        'usage',
        'Write the command to run after "--", as in "signalbox jobs add nightly -- npm run soak", or name an agent with --template and --prompt.',
      )
    }
    using hub = await openHubClient(args, context)
    const session = sessionSchema.parse(await ask(hub, 'enqueue_one_off', await readJob(args, context, hub)))
    const { job_id: id = '?', status, name } = session
    context.out(
      args.has('json')
        ? JSON.stringify(session, null, 2)
        : `Job ${id} is ${status}. See its output with "signalbox logs ${name}".`,
    )
    return 'ok'
  },
})

async function readJob(
  args: Arguments<keyof typeof flags>,
  context: CliContext,
  hub: HubClient,
): Promise<Readonly<Record<string, unknown>>> {
  const { rest } = args
  const template = await findTemplate(hub, args.text('template'))
  const prompt = args.text('prompt')
  return {
    name: args.words[0],
    ...(rest.length > 0 && (takesAgentArgs(template) ? { agent_args: rest } : { command: toShellLine(rest) })),
    template: args.text('template'),
    prompt: prompt === '-' ? await context.readStdin() : prompt,
    working_dir: chooseDirectory(args.text('dir'), template),
    description: args.text('description'),
    priority: readInteger(args, 'priority'),
  }
}
