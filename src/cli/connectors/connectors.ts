/** `signalbox connectors` */
import type { upstreamStates } from '../../api/connector.ts'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { listConnectors, type ListedConnector } from './list-connectors.ts'
import { toShellLine } from '../../base/shell-line.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import { type Cell, fitTo, renderTable, type StyledCell, type TableOptions } from '../terminal-output/table.ts'

export const command = defineCommand({
  takes: '[ls]',
  about: 'Lists the MCP servers that sessions may use, their sessions, and the state of their upstreams.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 0, max: 1 },
  onlyWord: 'ls',
  examples: ['signalbox connectors', 'signalbox connectors --json'],
  async run(args, context) {
    using hub = await openHubClient(args, context)
    const connectors = await listConnectors(hub)
    if (args.has('json')) context.out(JSON.stringify({ connectors }, null, 2))
    else if (connectors.length > 0) context.out(renderConnectors(connectors, fitTo(context.display())))
    else
      context.out(
        'There are no connectors. Add one with "signalbox connectors add", or import yours with "connectors import".',
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
    targetOf(connector),
  ])
  return renderTable([['name', 'transport', 'upstream', 'sessions', 'target'], ...rows], options)
}

/** A program and its arguments, or an address. */
export function targetOf({ transport, cmd = '', args = [], base_url: url = '' }: ListedConnector): string {
  return transport === 'stdio' ? (args.length === 0 ? cmd : toShellLine([cmd, ...args])) : url
}

function stateOf({ enabled, consent, upstream: { is, reason } }: ListedConnector): StyledCell {
  if (!enabled) return { text: 'off', style: 'dim' }
  if (consent?.is === 'wanted') return { text: 'needs your consent', style: 'yellow' }
  return { text: reason === undefined ? is : `${is}: ${visibleText(reason)}`, style: styles[is] }
}

const styles: Readonly<Record<(typeof upstreamStates)[number], StyledCell['style']>> = {
  stopped: 'dim',
  initializing: 'cyan',
  running: 'green',
  failed: 'red',
}
