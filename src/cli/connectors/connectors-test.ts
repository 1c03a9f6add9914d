/** `signalbox connectors test` */
import { z } from 'zod'
import { indentedLines, visibleText } from '../terminal-output/visible-text.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

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
  workspace: z.string().optional(),
})
type Outcome = z.output<typeof outcome>

export const command = toolCommand({
  takes: '<name>',
  about: 'Connects to an MCP server, lists what it offers, and stops it. Exits with 1 if the server does not work.',
  flags: {
    session: { takes: 'NAME', about: 'give it the workspace of this session (default: the temporary directory)' },
  },
  words: oneWord,
  examples: ['signalbox connectors test github'],
  tool: 'test_connector',
  // The first start may have to download the program.
  timeoutMs: 180_000,
  input: (args) => ({ name: args.words[0], session: args.text('session') }),
  answer: outcome,
  print(tried, { args }) {
    const where = tried.workspace === undefined ? [] : [whichWorkspace(tried.workspace, args.text('session'))]
    if (!tried.ok) return { err: [...describeFailure(tried), ...where] }
    return { out: describe(tried).map(visibleText).join('\n'), err: where }
  },
  exit: ({ ok }) => (ok ? 'ok' : 'failed'),
})

function describe({ server, version = '?', era = '?', ms, tools, resources, prompts }: Outcome): readonly string[] {
  const who = server ? `${server.name} ${server.version}` : 'The server'
  const parts = Object.entries({ tools, resources, prompts }).flatMap(([kind, part]) =>
    part && part.count > 0 ? [`${kind} (${part.count}): ${part.names.join(', ')}`] : [],
  )
  return [`${who} works: MCP ${version} (${era}), ${ms} ms.`, ...parts]
}

function describeFailure({ error = 'The server does not work.', stderr }: Outcome): readonly string[] {
  const output = stderr === undefined ? [] : ['stderr:', ...indentedLines(stderr)]
  return [`signalbox: ${visibleText(error)}`, ...output]
}

/** Names the directory, because a server may work with one and not with another. */
function whichWorkspace(workspace: string, session: string | undefined): string {
  const got = `The server got ${visibleText(workspace)} as its workspace`
  return session === undefined
    ? `${got}. In a session it gets that of the session. Test that with --session.`
    : `${got}.`
}
