/** `signalbox connectors show` */
import type { Binding } from '../../api/connector.ts'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { targetOf } from './connectors.ts'
import { listBindings, listConnectors, type ListedConnector } from './list-connectors.ts'
import { indentedLines, visibleText } from '../terminal-output/visible-text.ts'
import { renderTable } from '../terminal-output/table.ts'

export const command = defineCommand({
  takes: '<name>',
  about: [
    'Shows one connector in full, then each of its upstreams: its state, its last breach of the protocol, and the end of its',
    'stderr. Secrets are references to variables; the hub does not keep their values.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox connectors show github'],
  async run(args, context) {
    using hub = await openHubClient(args, context)
    const connectors = await listConnectors(hub)
    const [name = ''] = args.words
    const found = connectors.find((connector) => connector.name === name)
    if (!found) {
      const names = connectors.map((connector) => connector.name).join(', ')
      throw new CliError(
        'failed',
        `There is no connector "${name}". ${names ? `Choose one of ${names}.` : 'Add one with "signalbox connectors add".'}`,
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
  const { name, transport, env_keys: keys, headers, options, strict, enabled, upstream, sessions, consent } = connector
  const rows: readonly Row[] = [
    ['name', name],
    ['transport', transport],
    ['target', targetOf(connector)],
    ...(keys.length > 0 ? [['variables', keys.join(', ')] as const] : []),
    ...Object.entries(headers ?? {}).map(([header, value]): Row => ['header', `${header}: ${value}`]),
    ...Object.entries(options).map(([option, value]): Row => [option, JSON.stringify(value)]),
    ['strict', strict ? 'yes' : 'no'],
    ['enabled', enabled ? 'yes' : 'no'],
    ...(consent ? [consentRow(connector)] : []),
    ['upstream', upstream.reason === undefined ? upstream.is : `${upstream.is}: ${visibleText(upstream.reason)}`],
    ...faultRows(upstream),
    ['sessions', sessions.join(', ') || '–'],
  ]
  return renderTable(rows)
}

function consentRow({ name, consent }: ListedConnector): Row {
  if (consent?.is !== 'given') return ['consent', `needed for confined sessions: signalbox connectors allow ${name}`]
  return ['consent', `runs outside of sandboxes, allowed by ${consent.by} at ${consent.at}`]
}

/** Empty for a binding whose upstream was not used yet. */
export function renderUpstream({ session, label, upstream }: Binding): readonly string[] {
  if (!upstream) return []
  const { is, reason, era, version, retry_at: retryAt, dropped, stderr } = upstream
  const rows: readonly Row[] = [
    ['upstream', `${is}${reason === undefined ? '' : `: ${visibleText(reason)}`}`],
    ...(version === undefined ? [] : [['speaks', `MCP ${visibleText(version)} (${era})`] as const]),
    ...(retryAt === undefined ? [] : [['next try', retryAt] as const]),
    ...faultRows(upstream),
    ...(dropped === undefined ? [] : [['dropped', `${dropped} answers without a request`] as const]),
  ]
  const output = stderr === undefined ? [] : ['last lines of stderr:', ...indentedLines(stderr)]
  return [[`${label} in ${session}`, renderTable(rows), ...output].join('\n')]
}

function faultRows({ breach, warning }: ListedConnector['upstream']): readonly Row[] {
  return [
    ...(breach ? [['breach', `${visibleText(breach.sentence)} (${breach.at})`] as const] : []),
    ...(warning === undefined ? [] : [['warning', visibleText(warning)] as const]),
  ]
}
