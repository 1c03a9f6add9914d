/** `signalbox new` */
import { resolve } from 'node:path'
import { z } from 'zod'
import { sessionSchema } from '../api/session.ts'
import type { Config } from '../config/config.ts'
import { ask, findHubFrom } from './ask-hub.ts'
import { attach } from './attach.ts'
import { assertOwnTerminal } from './attach/own-terminal.ts'
import { chooseName } from './choose-name.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import type { Arguments, CliContext } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { readDuration } from './duration-flag.ts'
import type { HubConnection } from './hub-client.ts'
import { readCondition } from './wait.ts'

const flags = {
  template: { short: 't', takes: 'NAME', about: 'what to start (default: the hub’s; "shell" if there is a command)' },
  prompt: { short: 'p', takes: 'TEXT', about: 'typed in when the program is ready; "-" reads it from stdin' },
  dir: { takes: 'DIR', about: 'where it works (default: the template’s directory, else this one)' },
  'new-dir': { about: 'in a new, empty directory of its own' },
  worktree: { about: 'in a new git worktree of the directory' },
  env: { takes: 'NAME=VALUE', about: 'a variable for the program; may be given again' },
  description: { takes: 'TEXT', about: 'what it is for' },
  label: { takes: 'LABEL', about: 'to find it by; may be given again' },
  size: { takes: 'COLSxROWS', about: 'the size of its terminal, such as 120x40' },
  tools: { takes: 'A,B', about: 'the terminal tools that its agent may use, or "all" (default: the template’s)' },
  'mcp-socket': { takes: 'NAME', about: 'the name of its unix socket' },
  connector: { takes: 'NAME', about: 'an MCP server its agent may use (see connectors); may be given again' },
  wait: { takes: 'WHAT', about: 'come back when it is idle or waiting, at its exit, or at text:… or regex:…' },
  timeout: { takes: 'TIME', about: 'how long to wait (default: 60s)' },
  attach: { short: 'a', about: 'show it on this terminal at once' },
  ...hubFlags,
  ...jsonFlag,
} as const

type NewArguments = Arguments<keyof typeof flags>

const created = sessionSchema.extend({
  prompt: z.object({ delivered: z.boolean(), reason: z.string().optional() }).optional(),
  met: z.boolean().optional(),
  screen: z.string().optional(),
})
type Created = z.output<typeof created>

/** To start a program and see that it took a prompt takes its time. */
const startWithinMs = 90_000

export const command = defineCommand({
  takes: '[name] [-- <command>…]',
  about: [
    'Starts an agent or a command in a terminal of its own, which outlives the hub, and prints its name. Without a name it',
    'gets one from what it runs. One word behind "--" is a line for the shell; several are a program and its arguments.',
    'With --wait, what its screen shows then is printed too.',
  ].join('\n'),
  flags,
  words: { min: 0, max: 1 },
  takesRest: true,
  examples: [
    'signalbox new -- htop',
    'signalbox new fix-tests --template claude --prompt "make the tests pass" --worktree',
    `signalbox new --wait exit -- 'npm test | tail'`,
    'signalbox new --template shell --attach',
  ],
  async run(args, context) {
    const isAttached = args.has('attach')
    if (isAttached && args.has('json')) throw new CliError('usage', 'Either --attach, for people, or --json.')
    if (isAttached) assertOwnTerminal('--attach')
    const session = await create(args, context)
    if (args.has('json')) context.out(JSON.stringify(session, null, 2))
    else if (!isAttached) report(session, context)
    tellOfPrompt(session, context)
    if (isAttached) return attach(args, context, { name: session.id })
    return session.met === false || session.prompt?.delivered === false ? 'not-met' : 'ok'
  },
})

async function create(args: NewArguments, context: CliContext): Promise<Created> {
  const wait = readWait(args)
  const { config, connect } = await findHubFrom(args, context)
  const asked = { ...(await readSpec(args, context, config)), ...(wait && { wait }) }
  await using hub = await connect()
  const directory = await chooseDirectory(hub, args)
  const [given] = args.words
  const kind = args.text('template') ?? args.rest[0] ?? config.defaultTemplate
  const name = given ?? (await chooseName(hub, kind))
  const input = { name, ...asked, ...(directory !== undefined && { working_dir: directory }) }
  const timeoutMs = startWithinMs + (wait?.timeout_ms ?? 0)
  return created.parse(await ask(hub, 'create_session', input, { timeoutMs }))
}

async function readSpec(
  args: NewArguments,
  context: CliContext,
  config: Pick<Config, 'mcpSocketName'>,
): Promise<Readonly<Record<string, unknown>>> {
  const template = args.text('template') ?? (args.rest.length > 0 ? 'shell' : undefined)
  const [program, ...programArgs] = args.rest
  const prompt = args.text('prompt')
  const description = args.text('description')
  const size = args.text('size')
  const tools = args.text('tools')
  const socket = args.text('mcp-socket') ?? config.mcpSocketName
  return {
    ...(template !== undefined && { template }),
    ...(program !== undefined && { command: program }),
    ...(programArgs.length > 0 && { args: programArgs }),
    ...(prompt !== undefined && { prompt: prompt === '-' ? await context.readStdin() : prompt }),
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

const templateList = z.looseObject({
  templates: z.array(z.looseObject({ name: z.string(), working_dir: z.string().optional() })),
})

/** `undefined` leaves it to the hub: the template's, or a new one. */
async function chooseDirectory(hub: HubConnection, args: NewArguments): Promise<string | undefined> {
  if (args.has('new-dir')) return undefined
  const given = args.text('dir')
  if (given !== undefined) return resolve(given)
  const template = args.text('template')
  if (template === undefined) return process.cwd()
  const { templates } = templateList.parse(await ask(hub, 'list_templates', { hidden: true }))
  const isItsOwn = templates.find(({ name }) => name === template)?.working_dir !== undefined
  return isItsOwn ? undefined : process.cwd()
}

function readVariables(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value = ''] = /^([A-Za-z_]\w*)=([^]*)$/.exec(text) ?? []
      if (name === undefined) throw new CliError('usage', `--env takes a name and a value: --env CI=1, not "${text}".`)
      return [name, value] as const
    }),
  )
}

function readSize(text: string): { readonly cols: number; readonly rows: number } {
  const [, cols, rows] = /^(\d{1,4})[x×](\d{1,4})$/.exec(text) ?? []
  if (cols === undefined) throw new CliError('usage', `--size takes columns and rows: --size 120x40, not "${text}".`)
  return { cols: Number(cols), rows: Number(rows) }
}

/** `idle`, `text:All tests passed` */
function readWait(args: NewArguments) {
  const text = args.text('wait')
  if (text === undefined) return undefined
  const [, what = '', value] = /^([^:]*)(?::([^]*))?$/.exec(text) ?? []
  return { ...readCondition(what, value), timeout_ms: readDuration(args, 'timeout', '60s') }
}

function report({ name, screen, met, session_url: url }: Created, context: CliContext): void {
  context.out(name)
  if (screen !== undefined) context.out(screen)
  if (met === false) context.err('signalbox: what was waited for has not come; the session goes on.')
  if (met === undefined) context.err(`"signalbox attach ${name}" shows it, and so does ${url}`)
}

function tellOfPrompt({ prompt }: Created, context: CliContext): void {
  if (prompt?.delivered !== false) return
  context.err(`signalbox: the prompt was not delivered: ${prompt.reason ?? 'the program did not take it'}`)
}
