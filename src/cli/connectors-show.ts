/** `signalbox connectors show` */
import type { Binding } from '../api/connector.ts'
import { connectFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { placeOf } from './connectors.ts'
import { listBindings, listConnectors, type ListedConnector } from './list-connectors.ts'
import { indentedLines, shownText } from './shown-text.ts'
import { renderTable } from './table.ts'

export const command = defineCommand({
  takes: '<name>',
  about: [
    'Shows one connector with all it has, then each of its upstreams: how it is, how it last broke the protocol, and what',
    'it last wrote to stderr. Secrets are references to variables; their values are kept nowhere.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox connectors show github'],
  async run(args, context) {
    await using hub = await connectFrom(args, context)
    const connectors = await listConnectors(hub)
    const [name = ''] = args.words
    const found = connectors.find((connector) => connector.name === name)
    if (!found) {
      const names = connectors.map((connector) => connector.name).join(', ')
      throw new CliError(
        'failed',
        `There is no connector "${name}". ${names ? `There are ${names}.` : 'There are none.'}`,
      )
    }
    const bindings = (await Promise.all(found.sessions.map((session) => listBindings(hub, session))))
      .flat()
      .filter(({ connector }) => connector === name)
    if (args.has('json')) context.out(JSON.stringify({ ...found, bindings }, null, 2))
    else context.out([renderConnector(found), ...bindings.flatMap(renderUpstream)].join('\n\n'))
    return 'ok'
  },
})

type Row = readonly [string, string]

function renderConnector(connector: ListedConnector): string {
  const { name, transport, env_keys: keys, headers, options, strict, enabled, upstream, sessions } = connector
  const rows: readonly Row[] = [
    ['name', name],
    ['transport', transport],
    ['reached by', placeOf(connector)],
    ...(keys.length > 0 ? [['variables', keys.join(', ')] as const] : []),
    ...Object.entries(headers ?? {}).map(([header, value]): Row => ['header', `${header}: ${value}`]),
    ...Object.entries(options).map(([option, value]): Row => [option, JSON.stringify(value)]),
    ['strict', strict ? 'yes' : 'no'],
    ['enabled', enabled ? 'yes' : 'no'],
    ['upstream', upstream.reason === undefined ? upstream.is : `${upstream.is}: ${shownText(upstream.reason)}`],
    ...faultRows(upstream),
    ['sessions', sessions.join(', ') || '–'],
  ]
  return renderTable(rows)
}

/** Of a binding whose upstream nobody has used yet there is nothing to show. */
export function renderUpstream({ session, label, upstream }: Binding): readonly string[] {
  if (!upstream) return []
  const { is, reason, era, version, retry_at: retryAt, dropped, stderr } = upstream
  const rows: readonly Row[] = [
    ['upstream', `${is}${reason === undefined ? '' : `: ${shownText(reason)}`}`],
    ...(version === undefined ? [] : [['speaks', `MCP ${shownText(version)} (${era})`] as const]),
    ...(retryAt === undefined ? [] : [['tried again', retryAt] as const]),
    ...faultRows(upstream),
    ...(dropped === undefined ? [] : [['dropped', `${dropped} answers that belonged to no request`] as const]),
  ]
  const said = stderr === undefined ? [] : ['it last wrote to stderr:', ...indentedLines(stderr)]
  return [[`${label} in ${session}`, renderTable(rows), ...said].join('\n')]
}

function faultRows({ breach, warning }: ListedConnector['upstream']): readonly Row[] {
  return [
    ...(breach ? [['breach', `${shownText(breach.sentence)} (${breach.at})`] as const] : []),
    ...(warning === undefined ? [] : [['warning', shownText(warning)] as const]),
  ]
}
