/** `signalbox connectors add` */
import { transports } from '../../api/connector.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { type Arguments, defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { targetOf } from './connectors.ts'
import { listedConnector } from './list-connectors.ts'

const flags = {
  url: { takes: 'URL', about: 'the address of the MCP server, instead of a program' },
  transport: {
    short: 't',
    takes: 'HOW',
    about: `${transports.join(', ')} (default: stdio for a program, http for an address)`,
  },
  header: { short: 'H', takes: 'NAME:VALUE', about: 'a header for each request; repeatable; write secrets as ${VAR}' },
  env: { short: 'e', takes: 'NAME=VALUE', about: 'an environment variable for the program, not a secret; repeatable' },
  'env-key': { takes: 'NAME', about: 'an environment variable of the hub to pass to the program; repeatable' },
  cwd: { takes: 'DIR', about: 'its working directory, relative to the workspace (default: one of the hub)' },
  era: { takes: 'ERA', about: 'the era of MCP: auto, legacy or modern (default: auto)' },
  shared: { about: 'use one upstream for all sessions instead of one for each' },
  'no-prefix': { about: 'keep the own names of the tools, in a session with only this connector' },
  'no-strict': { about: 'also forward messages that break the protocol' },
  disabled: { about: 'save it, but do not use it yet' },
  'hub-url': {
    takes: 'URL',
    about: 'the endpoint of the hub (default: SIGNALBOX_URL, else the hub of the data directory)',
  },
  home: hubFlags.home,
  'token-file': hubFlags['token-file'],
  ...jsonFlag,
} as const

export const command = defineCommand({
  takes: '<name> --url <url> | -- <command>…',
  about: [
    'Registers an MCP server: an address, or a program with its arguments after "--". Replaces a connector of that name. Do',
    'not write secrets here: write ${VAR} in a header or name the variable with --env-key, and set the variable for the hub.',
    'The hub fills in {workspace}, {session_id} and {session_name} for each session.',
  ].join('\n'),
  flags,
  words: { min: 1, max: 1 },
  takesRest: true,
  examples: [
    `signalbox connectors add files -- npx -y @modelcontextprotocol/server-filesystem '{workspace}'`,
    `signalbox connectors add github --url https://api.githubcopilot.com/mcp/ -H 'Authorization: Bearer \${GITHUB_TOKEN}'`,
  ],
  async run(args, context) {
    const answer = await askHub('save_connector', readConnector(args), hubOf(args), context)
    if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
    else {
      const connector = listedConnector.parse(answer)
      context.out(`${connector.name}: ${targetOf(connector)}`)
      context.err(
        `Test it with "signalbox connectors test ${connector.name}", and give it to a session with "signalbox connectors bind".`,
      )
    }
    return 'ok'
  },
})

function readConnector(args: Arguments<keyof typeof flags>): Readonly<Record<string, unknown>> {
  const [name] = args.words
  const url = args.text('url')
  const [cmd, ...rest] = args.rest
  if ((url === undefined) === (cmd === undefined)) {
    throw new CliError('usage', 'Name the MCP server: either --url and its address, or a program after "--".')
  }
  const env = pairs(args.texts('env'), /^([A-Za-z_]\w*)=([\s\S]*)$/, '--env takes NAME=VALUE.')
  const headers = pairs(args.texts('header'), /^([^\s:]+):\s*([\s\S]*)$/, '--header takes "Name: value".')
  const [cwd, era] = [args.text('cwd'), args.text('era')]
  return {
    name,
    transport: args.text('transport') ?? (url === undefined ? 'stdio' : 'http'),
    ...(url === undefined ? { cmd, args: rest } : { base_url: url }),
    env_keys: args.texts('env-key'),
    ...(headers && { headers }),
    options: {
      ...(env && { env }),
      ...(cwd !== undefined && { cwd }),
      ...(era !== undefined && { era }),
      ...(args.has('shared') && { shared: true }),
      ...(args.has('no-prefix') && { prefix: false }),
    },
    strict: !args.has('no-strict'),
    enabled: !args.has('disabled'),
  }
}

/** The error does not quote the text, because it may be a secret. */
function pairs(texts: readonly string[], form: RegExp, problem: string): Record<string, string> | undefined {
  if (texts.length === 0) return undefined
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = form.exec(text) ?? []
      if (name === undefined || value === undefined) throw new CliError('usage', problem)
      return [name, value]
    }),
  )
}

/** Here `--url` belongs to the connector, so the hub has `--hub-url`. */
function hubOf(args: Arguments<keyof typeof flags>): Arguments<'home' | 'url' | 'token-file'> {
  const of = (flag: 'home' | 'url' | 'token-file') => (flag === 'url' ? 'hub-url' : flag)
  return {
    words: args.words,
    rest: args.rest,
    text: (flag) => args.text(of(flag)),
    texts: (flag) => args.texts(of(flag)),
    has: (flag) => args.has(of(flag)),
  }
}
