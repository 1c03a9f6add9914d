/** `signalbox new` */
import { sizeSchema } from '../../api/session.ts'
import { maxSize } from '../../base/terminal-size.ts'
import type { Config } from '../../config/config.ts'
import { ask, findHubFrom } from '../hub-client/ask-hub.ts'
import { attach } from './attach.ts'
import { assertIsTerminal } from '../attach/raw-terminal.ts'
import { chooseName } from './choose-name.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import type { Arguments, CliContext } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { readDuration } from '../command/duration-flag.ts'
import type { Created } from './created.ts'
import { createdSchema, reportCreated, scriptWithinMs, startWithinMs } from './created.ts'
import type { ListedTemplate } from './template-of.ts'
import { chooseDirectory, findTemplate, takesAgentArgs } from './template-of.ts'
import { readCondition } from './wait.ts'

const flags = {
  template: { short: 't', takes: 'NAME', about: 'what to start (default: the hub’s; "shell" if there is a command)' },
  prompt: { short: 'p', takes: 'TEXT', about: 'text to type when the program is ready; "-" reads it from stdin' },
  mode: { takes: 'MODE', about: 'how an agent is shown: terminal, structured or both (default: the template’s)' },
  dir: { takes: 'DIR', about: 'its working directory (default: the template’s, else this one)' },
  'new-dir': { about: 'start in a new directory; says so if it reuses the one of an earlier session' },
  worktree: { about: 'start in a new git worktree of the directory; says so if it reuses an old one' },
  env: { takes: 'NAME=VALUE', about: 'an environment variable for the program; repeatable' },
  description: { takes: 'TEXT', about: 'what it is for' },
  label: { takes: 'LABEL', about: 'a label to find it by; repeatable' },
  size: { takes: 'COLSxROWS', about: 'the size of its terminal, such as 120x40' },
  tools: { takes: 'A,B', about: 'the terminal tools that its agent may use, or "all" (default: the template’s)' },
  'mcp-socket': { takes: 'NAME', about: 'the name of its unix socket' },
  connector: { takes: 'NAME', about: 'an MCP server its agent may use (see connectors); repeatable' },
  wait: { takes: 'WHAT', about: 'return on idle, waiting, exit, text:… or regex:…' },
  timeout: { takes: 'TIME', about: 'how long to wait (default: 60s)' },
  attach: { short: 'a', about: 'attach to it at once' },
  ...hubFlags,
  ...jsonFlag,
} as const

type NewArguments = Arguments<keyof typeof flags>

export const command = defineCommand({
  takes: '[name] [-- <command>… | -- <flags>…]',
  about: [
    'Starts an agent or a command in its own terminal, which outlives the hub, and prints the name of the session. Without',
    'a name, the session is named after its program. One word after "--" is a shell line; several are a program and its',
    'arguments. With the --template of an agent, the words after "--" are flags for that agent.',
    'With --wait, it also prints the screen at that moment.',
  ].join('\n'),
  flags,
  words: { min: 0, max: 1 },
  takesRest: true,
  examples: [
    'signalbox new -- htop',
    'signalbox new fix-tests --template claude --prompt "make the tests pass" --worktree',
    'signalbox new fix-tests --template claude -- --model opus',
    `signalbox new --wait exit -- 'npm test | tail'`,
    'signalbox new --template shell --attach',
  ],
  async run(args, context) {
    const isAttached = args.has('attach')
    if (isAttached && args.has('json'))
      throw new CliError('usage', '--attach is for people and does not go with --json. Leave one of them out.')
    if (isAttached) assertIsTerminal('--attach')
    if (args.has('new-dir') && args.has('dir'))
      throw new CliError('usage', '--new-dir makes a directory and does not go with --dir. Leave one of them out.')
    const session = await create(args, context)
    const outcome = reportCreated(session, context, { isJson: args.has('json'), isAttached })
    return isAttached ? attach(args, context, { name: session.id }) : outcome
  },
})

async function create(args: NewArguments, context: CliContext): Promise<Created> {
  const wait = readWait(args)
  const { config, connect } = await findHubFrom(args, context)
  const spec = { ...(await readSpec(args, context, config)), ...(wait && { wait }) }
  using hub = connect()
  const template = await findTemplate(hub, args.text('template'))
  const asked = { ...spec, ...readRest(args.rest, template) }
  const directory = args.has('new-dir') ? undefined : chooseDirectory(args.text('dir'), template)
  const [given] = args.words
  const kind = args.text('template') ?? args.rest[0] ?? config.defaultTemplate
  const name = given ?? (await chooseName(hub, kind))
  const input = { name, ...asked, ...(directory !== undefined && { working_dir: directory }) }
  const timeoutMs = startWithinMs + (wait?.timeout_ms ?? 0) + (args.has('worktree') ? scriptWithinMs : 0)
  return createdSchema.parse(await ask(hub, 'create_session', input, { timeoutMs }))
}

async function readSpec(
  args: NewArguments,
  context: CliContext,
  config: Pick<Config, 'mcpSocketName'>,
): Promise<Readonly<Record<string, unknown>>> {
  const template = args.text('template') ?? (args.rest.length > 0 ? 'shell' : undefined)
  const prompt = args.text('prompt')
  const description = args.text('description')
  const mode = args.text('mode')
  const size = args.text('size')
  const tools = args.text('tools')
  const socket = args.text('mcp-socket') ?? config.mcpSocketName
  return {
    ...(template !== undefined && { template }),
    ...(prompt !== undefined && { prompt: prompt === '-' ? await context.readStdin() : prompt }),
    ...(mode !== undefined && { mode }),
    ...(args.has('worktree') && { worktree: true }),
    ...(args.has('env') && { env: readVariables(args.texts('env')) }),
    ...(description !== undefined && { description }),
    ...(args.has('label') && { labels: args.texts('label') }),
    ...(args.has('connector') && { connectors: args.texts('connector') }),
    ...(size !== undefined && { size: readSize(size) }),
    ...(tools !== undefined && { tools: tools.split(',').map((tool) => tool.trim()) }),
    ...(socket !== undefined && { mcp_socket: socket }),
  }
}

/** The words after `--` are a command, or flags for an agent. */
function readRest(rest: readonly string[], template: ListedTemplate | undefined): Readonly<Record<string, unknown>> {
  const [program, ...programArgs] = rest
  if (program === undefined) return {}
  if (takesAgentArgs(template)) return { agent_args: rest }
  return { command: program, ...(programArgs.length > 0 && { args: programArgs }) }
}

function readVariables(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value = ''] = /^([A-Za-z_]\w*)=([^]*)$/.exec(text) ?? []
      if (name === undefined)
        throw new CliError('usage', `--env takes a name and a value, such as --env CI=1, not "${text}".`)
      return [name, value] as const
    }),
  )
}

function readSize(text: string): { readonly cols: number; readonly rows: number } {
  const [, cols, rows] = /^(\d+)[x×](\d+)$/.exec(text) ?? []
  const size = { cols: Number(cols), rows: Number(rows) }
  if (sizeSchema.safeParse(size).success) return size
  const limits = `from 2x1 to ${maxSize.cols}x${maxSize.rows}`
  throw new CliError('usage', `--size takes columns and rows, ${limits}, such as --size 120x40, not "${text}".`)
}

/** Reads `idle` or `text:All tests passed`. */
function readWait(args: NewArguments) {
  const text = args.text('wait')
  if (text === undefined) return undefined
  const [, what = '', value] = /^([^:]*)(?::([^]*))?$/.exec(text) ?? []
  return { ...readCondition(what, value), timeout_ms: readDuration(args, 'timeout', '60s') }
}
