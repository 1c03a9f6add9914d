/** `signalbox routes` and its subcommands. */
import { z } from 'zod'
import type { Route } from '../../api/route.ts'
import { routeSchema } from '../../api/route.ts'
import { CliError } from '../command/cli-error.ts'
import { readInputFile } from '../command/input-file.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'
import { fitTo, renderTable } from '../terminal-output/table.ts'

export const list = toolCommand({
  takes: '[action]',
  about: [
    'Lists the ways of each action, in the order in which they are tried, and where they are set. A way that could not be',
    'reached rests for a while: the others are asked first.',
  ].join('\n'),
  words: { min: 0, max: 1 },
  examples: ['signalbox routes', 'signalbox routes search_web --json'],
  tool: 'list_routes',
  input: ({ words: [action] }) => ({ action }),
  answer: z.looseObject({ routes: z.array(routeSchema) }),
  print: ({ routes }, { display }) => renderTable([header, ...routes.flatMap(rowsOf)], fitTo(display)),
})

export const set = toolCommand({
  takes: '<action> <file | ->',
  about: [
    'Sets the ways of an action from a JSON list. It wins over config.yaml. "-" reads the list from stdin. A way is',
    '{"model": "openai/gpt-5"}, {"connector": "search", "tool": "web_search", "arguments": {"q": "{query}"}},',
    '{"session": "reviewer"} or {"session": {"label": "reviews"}}. Each may have "role", "priority" and "enabled".',
  ].join('\n'),
  flags: {
    'safe-to-repeat': { about: 'ask the next way even if one has the input and fails' },
    'not-safe-to-repeat': { about: 'never ask a second way that may do it again' },
  },
  words: { min: 2, max: 2 },
  examples: [
    `echo '[{"model": "default"}]' | signalbox routes set chat -`,
    'signalbox routes set search_web search.json',
  ],
  tool: 'set_routes',
  async input(args, context) {
    const [action, file = ''] = args.words
    const ways = parseWays(file === '-' ? await context.readStdin() : await readInputFile(file), file)
    return { action, ways, safe_to_repeat: safetyOf(args.has('safe-to-repeat'), args.has('not-safe-to-repeat')) }
  },
  answer: routeSchema,
  print: (route, { display }) => renderTable([header, ...rowsOf(route)], fitTo(display)),
})

export const reset = toolCommand({
  takes: '<action>',
  about: 'Takes back what was set: config.yaml says how the action is answered, or else the default model answers.',
  words: oneWord,
  examples: ['signalbox routes reset search_web'],
  tool: 'set_routes',
  input: ({ words: [action] }) => ({ action, ways: null }),
  answer: routeSchema,
  print: (route, { display }) => renderTable([header, ...rowsOf(route)], fitTo(display)),
})

const header = ['action', 'from', 'way', 'role', 'state']

function rowsOf({ action, from, ways }: Route): readonly (readonly string[])[] {
  if (ways.length === 0) return [[action, from, 'none', '–', '–']]
  return ways.map((way, index) => [
    index === 0 ? action : '',
    index === 0 ? from : '',
    nameOf(way),
    typeof way['role'] === 'string' ? way['role'] : '–',
    stateOf(way),
  ])
}

function nameOf(way: Route['ways'][number]): string {
  const { model, connector, tool, session } = way
  if (typeof model === 'string') return `model ${model}`
  if (typeof connector === 'string') return `connector ${connector}, ${String(tool)}`
  if (typeof session === 'string') return `session ${session}`
  const { label } = z.looseObject({ label: z.string() }).parse(session)
  return `sessions with the label ${label}`
}

function stateOf({ enabled, rests_until: until, reason }: Route['ways'][number]): string {
  if (enabled === false) return 'off'
  return until === undefined ? 'on' : `rests until ${until}: ${reason ?? 'it could not be reached'}`
}

function parseWays(text: string, file: string): unknown {
  const name = file === '-' ? 'The text from stdin' : file
  try {
    const ways: unknown = JSON.parse(text)
    if (Array.isArray(ways)) return ways
  } catch {
    // The message of the parser quotes the text, which may contain a secret.
  }
  throw new CliError('usage', `${name} is not a JSON list of ways. Write it like [{"model": "default"}].`)
}

function safetyOf(isSafe: boolean, isNot: boolean): boolean | undefined {
  if (isSafe && isNot) {
    throw new CliError('usage', '--safe-to-repeat and --not-safe-to-repeat exclude each other. Choose one of them.')
  }
  return isSafe || isNot ? isSafe : undefined
}
