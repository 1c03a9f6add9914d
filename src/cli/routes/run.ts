/** `signalbox run` */
import { actionResultSchema } from '../../api/route.ts'
import { CliError } from '../command/cli-error.ts'
import { readInputFile } from '../command/input-file.ts'
import { toolCommand } from '../hub-client/tool-command.ts'

/** The hub reports progress every ten seconds as long as the action runs. */
const silentMs = 60_000

export const command = toolCommand({
  takes: '<action> <text | ->',
  about: [
    'Has an action done by the first of its ways that is up, and prints the answer: code_advice, search_web,',
    'tests_generate, refactor_apply or chat. "-" reads the text from stdin. Who answered goes to stderr. "signalbox routes"',
    'shows the ways.',
  ].join('\n'),
  flags: {
    file: { takes: 'FILE', about: 'the code that it is about' },
    language: { takes: 'NAME', about: 'the language of the code' },
    framework: { takes: 'NAME', about: 'the test framework, for tests_generate' },
    session: { takes: 'SESSION', about: 'ask the agent of this session, and nothing else' },
    role: { takes: 'ROLE', about: 'ask only ways with this role' },
  },
  words: { min: 2, max: 2 },
  examples: [
    'signalbox run code_advice "why is this slow?" --file src/parser.ts',
    'signalbox run search_web "what is new in Node 24?"',
    'git diff | signalbox run chat - --session reviewer',
  ],
  tool: 'run_action',
  async input(args, context) {
    const [action, given = ''] = args.words
    const text = given === '-' ? (await context.readStdin()).trimEnd() : given
    if (text.trim() === '') {
      throw new CliError('usage', `The text is empty. Write one, such as signalbox run ${action} "what do you think?".`)
    }
    const path = args.text('file')
    const input = {
      text,
      ...(path !== undefined && { path, code: await readInputFile(path) }),
      ...optional('language', args.text('language')),
      ...optional('framework', args.text('framework')),
    }
    return { action, input, session: args.text('session'), role: args.text('role') }
  },
  answer: actionResultSchema,
  print: ({ text, route, tried }) => ({
    out: text,
    err: [
      ...tried.slice(0, -1).map(({ way, outcome, reason = '' }) => `${way}: ${outcome}: ${reason}`),
      `answered by ${route}`,
    ],
  }),
  timeoutMs: silentMs,
})

function optional(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value }
}
