/** `signalbox connectors test` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { indentedLines, shownText } from './shown-text.ts'

const offered = z.object({ count: z.number(), names: z.array(z.string()) })
const outcome = z.looseObject({
  ok: z.boolean(),
  ms: z.number(),
  era: z.string().optional(),
  version: z.string().optional(),
  server: z.object({ name: z.string(), version: z.string() }).optional(),
  tools: offered.optional(),
  resources: offered.optional(),
  prompts: offered.optional(),
  error: z.string().optional(),
  stderr: z.string().optional(),
  cwd: z.string().optional(),
})
type Outcome = z.output<typeof outcome>

/** A first start may have to fetch the program. */
const patienceMs = 180_000

export const command = defineCommand({
  takes: '<name>',
  about: 'Starts or reaches an MCP server, asks what it offers, and ends it. Exits with 1 if it does not work.',
  flags: {
    session: { takes: 'NAME', about: 'in the workspace of this session (default: in the temporary directory)' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox connectors test github'],
  async run(args, context) {
    const [name] = args.words
    const session = args.text('session')
    const input = { name, ...(session !== undefined && { session }) }
    const answer = await askHub('test_connector', input, args, context, { timeoutMs: patienceMs })
    const tried = outcome.parse(answer)
    if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
    else if (tried.ok) for (const line of describe(tried)) context.out(shownText(line))
    else for (const line of describeFailure(tried)) context.err(line)
    if (!args.has('json') && tried.cwd !== undefined) context.err(whereItRan(tried.cwd, session))
    return tried.ok ? 'ok' : 'failed'
  },
})

function describe({ server, version = '?', era = '?', ms, tools, resources, prompts }: Outcome): readonly string[] {
  const who = server ? `${server.name} ${server.version}` : 'It'
  const parts = Object.entries({ tools, resources, prompts }).flatMap(([kind, part]) =>
    part && part.count > 0 ? [`${kind} (${part.count}): ${part.names.join(', ')}`] : [],
  )
  return [`${who} works: MCP ${version} (${era}), ${ms} ms.`, ...parts]
}

function describeFailure({ error = 'It does not work.', stderr }: Outcome): readonly string[] {
  const said = stderr === undefined ? [] : ['it wrote to stderr:', ...indentedLines(stderr)]
  return [`signalbox: ${shownText(error)}`, ...said]
}

/** What works in one directory need not work in another. */
function whereItRan(cwd: string, session: string | undefined): string {
  const place = `It ran in ${shownText(cwd)}`
  return session === undefined
    ? `${place}; in a session it runs in the workspace: try it there with --session.`
    : `${place}.`
}
