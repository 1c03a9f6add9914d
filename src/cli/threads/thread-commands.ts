/** The commands for agents and threads that make one tool call. */
import { z } from 'zod'
import { threadSchema } from '../../api/thread.ts'
import { CliError } from '../command/cli-error.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

const done = z.looseObject({ ok: z.boolean() })

export const steer = toolCommand({
  takes: '<session> <text | ->',
  about: 'Adds a text to the turn that the agent works on. "-" reads the text from stdin.',
  words: { min: 2, max: 2 },
  examples: ['signalbox steer fix-tests "only the parser, please"'],
  tool: 'steer_session',
  input: async ({ words: [session, text] }, context) => ({
    session,
    text: text === '-' ? await context.readStdin() : text,
  }),
  answer: done,
  print: () => 'The agent has the text.',
})

export const interrupt = toolCommand({
  takes: '<session>',
  about: 'Ends the turn that the agent works on. The session stays, and takes the next prompt.',
  words: oneWord,
  examples: ['signalbox interrupt fix-tests'],
  tool: 'interrupt_session',
  input: ({ words: [session] }) => ({ session }),
  answer: done,
  print: () => 'The turn has been interrupted.',
})

const formats = ['markdown', 'json'] as const

export const thread = toolCommand({
  takes: '<session>',
  about: 'Prints what an agent said and did, oldest first. A session or a thread may be named.',
  flags: { format: { takes: 'FORMAT', about: `${formats.join(' or ')} (default: markdown)` } },
  words: oneWord,
  examples: ['signalbox thread fix-tests', 'signalbox thread fix-tests --format json > thread.json'],
  tool: 'export_thread',
  input: (args) => ({ session: args.words[0], format: readFormat(args.text('format')) }),
  answer: z.looseObject({ text: z.string() }),
  print: ({ text }) => text.trimEnd(),
})

export const fork = toolCommand({
  takes: '<session>',
  about: 'Makes a new thread with the same messages, and prints its id. The old one stays as it is.',
  flags: {
    at: { takes: 'MESSAGE', about: 'the id of the last message to keep (default: all)' },
    label: { takes: 'TEXT', about: 'what it is for' },
  },
  words: oneWord,
  examples: ['signalbox fork fix-tests --label "another way"'],
  tool: 'fork_thread',
  input: (args) => ({ session: args.words[0], at: args.text('at'), label: args.text('label') }),
  answer: threadSchema,
  print: ({ thread_id: id }) => id,
})

function readFormat(format: string = 'markdown'): string {
  if ((formats as readonly string[]).includes(format)) return format
  throw new CliError('usage', `--format takes ${formats.join(' or ')}, not "${format}".`)
}
