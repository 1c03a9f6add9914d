/** `signalbox connectors export` */
import { exportConnectors, exportFormats } from '../../connectors/connectors.ts'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { listConnectors } from './list-connectors.ts'

export const command = defineCommand({
  takes: '[name]…',
  about: [
    'Prints connectors in a format that other programs or "connectors import" can read. Without names, prints all of them.',
    'Secrets are references to variables, as in the hub.',
  ].join('\n'),
  flags: {
    format: { takes: 'FORMAT', about: `${exportFormats.join(', ')} (default: json, which is complete)` },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 0, max: 1_000 },
  examples: ['signalbox connectors export --format claude > .mcp.json'],
  async run(args, context) {
    const asked = args.text('format') ?? 'json'
    const format = exportFormats.find((each) => each === asked)
    if (!format) throw new CliError('usage', `--format takes ${exportFormats.join(', ')}, not "${asked}".`)
    using hub = await openHubClient(args, context)
    const all = await listConnectors(hub)
    const unknown = args.words.find((name) => !all.some((connector) => connector.name === name))
    if (unknown !== undefined)
      throw new CliError('failed', `There is no connector "${unknown}". "signalbox connectors" lists them.`)
    const chosen = all.filter(({ name }) => args.words.length === 0 || args.words.includes(name))
    const { text, warnings } = exportConnectors(
      chosen.map(({ upstream: _upstream, sessions: _sessions, consent: _consent, ...connector }) => connector),
      format,
    )
    context.out(args.has('json') ? JSON.stringify({ text, warnings }, null, 2) : text)
    for (const warning of warnings) context.err(`signalbox: warning: ${warning}`)
    return 'ok'
  },
})
