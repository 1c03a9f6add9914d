/** The job commands that make one tool call. */
import { jobSchema } from '../../api/job.ts'
import { sessionSchema } from '../../api/session.ts'
import { CliError } from '../command/cli-error.ts'
import { readInteger } from '../command/number-flag.ts'
import { toShellLine } from '../../base/shell-line.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

export const add = toolCommand({
  takes: '<name> -- <command>…',
  about: [
    'Queues a command. When its turn comes, it runs in a session of that name. The hub keeps its output, its exit code and',
    'its times. One word after "--" is a shell line; several are a program and its arguments.',
  ].join('\n'),
  flags: {
    template: { takes: 'NAME', about: 'the template of its session (default: script)' },
    description: { takes: 'TEXT', about: 'what it is for' },
    priority: { takes: 'NUMBER', about: 'a higher number runs first (default: 0)' },
  },
  words: oneWord,
  takesRest: true,
  examples: ['signalbox jobs add nightly -- npm run soak', `signalbox jobs add count -- 'ls | wc -l'`],
  tool: 'enqueue_one_off',
  input(args) {
    if (args.rest.length === 0) {
      throw new CliError('usage', 'Write the command to run after "--": signalbox jobs add nightly -- npm run soak.')
    }
    return {
      name: args.words[0],
      command: toShellLine(args.rest),
      template: args.text('template'),
      description: args.text('description'),
      priority: readInteger(args, 'priority'),
    }
  },
  answer: sessionSchema,
  print: ({ job_id: id = '?', status, name }) =>
    `Job ${id} is ${status}. See its output with "signalbox logs ${name}".`,
})

export const cancel = toolCommand({
  takes: '<id>',
  about: 'Cancels a job. A queued job never starts, and a running job is killed. A job that has ended does not change.',
  words: oneWord,
  examples: ['signalbox jobs cancel j7f3a2'],
  tool: 'cancel_job',
  input: ({ words: [id] }) => ({ id }),
  answer: jobSchema,
  print: ({ id, status }) => `Job ${id} is ${status}.`,
})
