/** The commands for agents and threads that make one tool call. */
import { z } from 'zod'
import { exportFormats, formatNames, threadSchema } from '../../api/thread.ts'
import { CliError } from '../command/cli-error.ts'
import { readInputFile } from '../command/input-file.ts'
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

export const thread = toolCommand({
  takes: '<session>',
  about: 'Prints what an agent said and did, oldest first. A session or a thread may be named.',
  flags: { format: { takes: 'FORMAT', about: `${exportFormats.join(', ')} (default: markdown)` } },
  words: oneWord,
  examples: ['signalbox thread fix-tests', 'signalbox thread fix-tests --format openai-chat > messages.json'],
  tool: 'export_thread',
  input: (args) => ({
    session: args.words[0],
    format: choose(args.text('format') ?? 'markdown', exportFormats),
  }),
  answer: z.looseObject({
    text: z.string(),
    left_out: z.array(z.object({ what: z.string(), where: z.array(z.string()) })).default([]),
  }),
  print: ({ text, left_out: leftOut }) => ({
    out: text.trimEnd(),
    err: leftOut.map(({ what, where }) => `Left out: ${what} (${where.length})`),
  }),
})

export const threadImport = toolCommand({
  takes: '<file | ->',
  about:
    'Makes a thread from the messages of another provider, or from a file that Codex, Claude Code or Gemini CLI keeps, and prints its id. "-" reads stdin.',
  flags: {
    format: { takes: 'FORMAT', about: formatNames.join(', ') },
    label: { takes: 'TEXT', about: 'what it is for' },
  },
  words: oneWord,
  examples: ['signalbox thread import messages.json --format anthropic', 'signalbox switch <id> codex'],
  tool: 'import_thread',
  async input(args, context) {
    const [file = ''] = args.words
    const format = choose(args.text('format') ?? '', formatNames)
    return {
      text: file === '-' ? await context.readStdin() : await readInputFile(file),
      format,
      label: args.text('label'),
    }
  },
  answer: threadSchema,
  print: ({ thread_id: id }) => id,
})

export const switchProvider = toolCommand({
  takes: '<session> <to>',
  about:
    'Continues a thread with another agent or model, and prints the name of the session. A session or a thread may be named. The old session stays as it is.',
  flags: { model: { takes: 'NAME', about: 'the model of the agent, in its own words' } },
  words: { min: 2, max: 2 },
  examples: ['signalbox switch fix-tests codex', 'signalbox switch fix-tests openai/gpt-5'],
  tool: 'switch_provider',
  input: (args) => ({ session: args.words[0], to: args.words[1], model: args.text('model') }),
  answer: threadSchema,
  print: ({ session, thread_id: id }) => session ?? id,
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

function choose(format: string, formats: readonly string[]): string {
  if (formats.includes(format)) return format
  throw new CliError(
    'usage',
    `--format takes ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}, not "${format}".`,
  )
}
