/** `signalbox connectors bind` */
import { bindingSchema } from '../api/connector.ts'
import { askHub } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

export const command = defineCommand({
  takes: '<session> <name>',
  about: 'Gives the agent of a session the tools of a connector, at once, as <label>_<tool>.',
  flags: {
    label: { takes: 'LABEL', about: 'the mount the agent sees: small letters and digits (default: made of the name)' },
    priority: { takes: 'NUMBER', about: 'of two mounts with the same resource the higher one is read (default: 0)' },
    overrides: { takes: 'JSON', about: 'what is different for this session, such as {"args": ["/srv"]}' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 2, max: 2 },
  examples: ['signalbox connectors bind build github --label gh'],
  async run(args, context) {
    const [session, connector] = args.words
    const [label, priority, overrides] = [args.text('label'), args.text('priority'), args.text('overrides')]
    if (priority !== undefined && !/^-?\d+$/.test(priority)) {
      throw new CliError('usage', `--priority takes a whole number, not "${priority}".`)
    }
    const input = {
      session,
      connector,
      ...(label !== undefined && { label }),
      ...(priority !== undefined && { priority: Number(priority) }),
      ...(overrides !== undefined && { overrides: parse(overrides) }),
    }
    const answer = bindingSchema.parse(await askHub('bind_connector', input, args, context))
    if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
    else context.out(`${answer.session} has ${answer.connector} as ${answer.label}.`)
    const missing = answer.resolved?.['missing']
    if (Array.isArray(missing)) context.err(`signalbox: warning: the hub has no ${missing.join(', ')}, which it needs.`)
    return 'ok'
  },
})

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CliError('usage', '--overrides takes a JSON object, such as {"args": ["/srv"]}.', { cause: error })
  }
}
