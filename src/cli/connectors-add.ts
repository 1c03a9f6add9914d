/** `signalbox connectors add` */
import { transports } from '../api/connector.ts'
import { askHub } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { type Arguments, defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { placeOf } from './connectors.ts'
import { listedConnector } from './list-connectors.ts'

const flags = {
  url: { takes: 'URL', about: 'the address of the MCP server, in place of a program' },
  transport: {
    short: 't',
    takes: 'HOW',
    about: `${transports.join(', ')} (default: stdio for a program, http for an address)`,
  },
  header: { short: 'H', takes: 'NAME:VALUE', about: 'sent with each request; may be given again; secrets as ${VAR}' },
  env: { short: 'e', takes: 'NAME=VALUE', about: 'a variable for the program that is no secret; may be given again' },
  'env-key': { takes: 'NAME', about: 'a variable of the hub that the program gets; may be given again' },
  cwd: { takes: 'DIR', about: 'where the program works (default: the workspace of the session)' },
  era: { takes: 'ERA', about: 'of the protocol: auto, legacy or modern (default: auto)' },
  shared: { about: 'one upstream for all sessions instead of one for each' },
  'no-strict': { about: 'pass on what breaks the protocol, too' },
  disabled: { about: 'keep it, but do not use it yet' },
  'hub-url': { takes: 'URL', about: 'the endpoint of the hub (default: SIGNALBOX_URL, or that of the data directory)' },
  home: hubFlags.home,
  'token-file': hubFlags['token-file'],
  ...jsonFlag,
} as const

export const command = defineCommand({
  takes: '<name> --url <url> | -- <command>…',
  about: [
    'Registers an MCP server: an address, or a program and its arguments behind "--". One of that name is replaced. Secrets',
    'are not written down: write ${VAR} in a header, or name the variable with --env-key, and set it for the hub.',
    '{workspace}, {session_id} and {session_name} are filled in for each session.',
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
      context.out(`${connector.name}: ${placeOf(connector)}`)
      context.err(
        `"signalbox connectors test ${connector.name}" tries it, "signalbox connectors bind" gives it to a session.`,
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
    throw new CliError('usage', 'Say how it is reached: either --url and its address, or a program behind "--".')
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
    },
    strict: !args.has('no-strict'),
    enabled: !args.has('disabled'),
  }
}

/** Not repeated where it is wrong: it may be a secret. */
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

/** --url is the connector's here. */
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
