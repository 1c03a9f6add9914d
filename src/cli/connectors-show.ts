/** `signalbox connectors show` */
import { ask, connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { connectorList, type ListedConnector, placeOf } from './connectors.ts'
import { renderTable } from './table.ts'
import { shownText } from './shown-text.ts'

export const command = defineCommand({
  takes: '<name>',
  about: 'Shows one connector with all it has. Secrets are references to variables; their values are kept nowhere.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox connectors show github'],
  async run(args, context) {
    await using hub = await connectFrom(args, context)
    const { connectors } = connectorList.parse(await ask(hub, 'list_connectors', {}))
    const [name = ''] = args.words
    const found = connectors.find((connector) => connector.name === name)
    if (!found) {
      const names = connectors.map((connector) => connector.name).join(', ')
      throw new CliError(
        'failed',
        `There is no connector "${name}". ${names ? `There are ${names}.` : 'There are none.'}`,
      )
    }
    context.out(args.has('json') ? JSON.stringify(found, null, 2) : render(found))
    return 'ok'
  },
})

function render(connector: ListedConnector): string {
  const { name, transport, env_keys: keys, headers, options, strict, enabled, upstream, sessions } = connector
  const rows: [string, string][] = [
    ['name', name],
    ['transport', transport],
    ['reached by', placeOf(connector)],
    ...(keys.length > 0 ? ([['variables', keys.join(', ')]] satisfies [string, string][]) : []),
    ...Object.entries(headers ?? {}).map(([header, value]): [string, string] => ['header', `${header}: ${value}`]),
    ...Object.entries(options).map(([option, value]): [string, string] => [option, JSON.stringify(value)]),
    ['strict', strict ? 'yes' : 'no'],
    ['enabled', enabled ? 'yes' : 'no'],
    ['upstream', upstream.reason === undefined ? upstream.is : `${upstream.is}: ${shownText(upstream.reason)}`],
    ['sessions', sessions.join(', ') || '–'],
  ]
  return renderTable(rows)
}
