/** `signalbox connectors` */
import type { upstreamStates } from '../api/connector.ts'
import { connectFrom } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { unknownCommand } from './help.ts'
import { listConnectors, type ListedConnector } from './list-connectors.ts'
import { toShellLine } from './shell-line.ts'
import { shownText } from './shown-text.ts'
import { type Cell, fitTo, renderTable, type StyledCell, type TableOptions } from './table.ts'

export const command = defineCommand({
  takes: '[ls]',
  about: 'Lists the MCP servers that sessions may use, who uses each, and how their upstreams are.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 0, max: 1 },
  examples: ['signalbox connectors', 'signalbox connectors --json'],
  async run(args, context) {
    const [word = 'ls'] = args.words
    if (word !== 'ls') throw unknownCommand(`connectors ${word}`)
    await using hub = await connectFrom(args, context)
    const connectors = await listConnectors(hub)
    if (args.has('json')) context.out(JSON.stringify({ connectors }, null, 2))
    else if (connectors.length > 0) context.out(renderConnectors(connectors, fitTo(context.display())))
    else
      context.out(
        'There are no connectors. "signalbox connectors add" makes one, "connectors import" takes yours over.',
      )
    return 'ok'
  },
})

export function renderConnectors(connectors: readonly ListedConnector[], options: TableOptions = {}): string {
  const rows = connectors.map((connector): Cell[] => [
    connector.name,
    connector.transport,
    stateOf(connector),
    connector.sessions.join(', ') || '–',
    placeOf(connector),
  ])
  return renderTable([['name', 'transport', 'upstream', 'sessions', 'reached by'], ...rows], options)
}

/** A program and its arguments, or an address. */
export function placeOf({ transport, cmd = '', args = [], base_url: url = '' }: ListedConnector): string {
  return transport === 'stdio' ? (args.length === 0 ? cmd : toShellLine([cmd, ...args])) : url
}

function stateOf({ enabled, upstream: { is, reason } }: ListedConnector): StyledCell {
  if (!enabled) return { text: 'off', style: 'dim' }
  return { text: reason === undefined ? is : `${is}: ${shownText(reason)}`, style: styles[is] }
}

const styles: Readonly<Record<(typeof upstreamStates)[number], StyledCell['style']>> = {
  stopped: 'dim',
  initializing: 'cyan',
  running: 'green',
  failed: 'red',
}
