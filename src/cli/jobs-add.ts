/** `signalbox jobs add` */
import { sessionSchema } from '../api/session.ts'
import { askHub } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { toShellLine } from './shell-line.ts'

export const command = defineCommand({
  takes: '<name> -- <command>…',
  about: [
    'Puts a command into the queue. It runs in a session of that name when it is its turn; what it prints, its exit code',
    'and its times are kept. One word behind "--" is a line for the shell; several are a program and its arguments.',
  ].join('\n'),
  flags: {
    template: { takes: 'NAME', about: 'the kind of session it runs in (default: script)' },
    description: { takes: 'TEXT', about: 'what it is for' },
    priority: { takes: 'NUMBER', about: 'higher goes first (default: 0)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  takesRest: true,
  examples: ['signalbox jobs add nightly -- npm run soak', `signalbox jobs add count -- 'ls | wc -l'`],
  async run(args, context) {
    const [name] = args.words
    if (args.rest.length === 0) {
      throw new CliError('usage', 'Say what to run, behind "--": signalbox jobs add nightly -- npm run soak.')
    }
    const template = args.text('template')
    const description = args.text('description')
    const priority = args.text('priority')
    if (priority !== undefined && !/^-?\d+$/.test(priority)) {
      throw new CliError('usage', `--priority takes a whole number, not "${priority}".`)
    }
    const answer = sessionSchema.parse(
      await askHub(
        'enqueue_one_off',
        {
          name,
          command: toShellLine(args.rest),
          ...(template !== undefined && { template }),
          ...(description !== undefined && { description }),
          ...(priority !== undefined && { priority: Number(priority) }),
        },
        args,
        context,
      ),
    )
    context.out(
      args.has('json')
        ? JSON.stringify(answer, null, 2)
        : `Job ${answer.job_id ?? '?'} is ${answer.status}; "signalbox logs ${answer.name}" shows what it prints.`,
    )
    return 'ok'
  },
})
