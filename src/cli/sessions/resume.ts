/** `signalbox resume` */
import { ask, findHubFrom } from '../hub-client/ask-hub.ts'
import { attach } from './attach.ts'
import { assertIsTerminal } from '../attach/raw-terminal.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { createdSchema, startWithinMs, reportCreated } from './created.ts'

export const command = defineCommand({
  takes: '<session>',
  about: [
    'Continues the conversation of an agent session that has ended, in a new session of the same name. The new session has',
    'the same workspace, labels, tools, connectors, policy and flags. Variables from --env are not kept.',
  ].join('\n'),
  flags: {
    prompt: { short: 'p', takes: 'TEXT', about: 'text to type when the program is ready; "-" reads it from stdin' },
    attach: { short: 'a', about: 'attach to it at once' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox resume fix-tests', 'signalbox resume fix-tests --prompt "now the docs"'],
  async run(args, context) {
    const isAttached = args.has('attach')
    if (isAttached && args.has('json'))
      throw new CliError('usage', '--attach is for people and does not go with --json. Leave one of them out.')
    if (isAttached) assertIsTerminal('--attach')
    const { connect } = await findHubFrom(args, context)
    const text = args.text('prompt')
    const prompt = text === '-' ? await context.readStdin() : text
    const input = { name: args.words[0], ...(prompt !== undefined && { prompt }) }
    const session = await (async () => {
      using hub = connect()
      return createdSchema.parse(await ask(hub, 'resume_session', input, { timeoutMs: startWithinMs }))
    })()
    const outcome = reportCreated(session, context, { isJson: args.has('json'), isAttached })
    return isAttached ? attach(args, context, { name: session.id }) : outcome
  },
})
