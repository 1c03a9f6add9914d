/** `signalbox connectors bindings` */
import type { Binding } from '../../api/connector.ts'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { listBindings } from './list-connectors.ts'
import { fitTo, renderTable, type TableOptions } from '../terminal-output/table.ts'
import { visibleText } from '../terminal-output/visible-text.ts'

export const command = defineCommand({
  takes: '<session>',
  about: 'Lists the connectors of a session by label, and the state of their upstreams.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox connectors bindings build'],
  async run(args, context) {
    const [session = ''] = args.words
    using hub = await openHubClient(args, context)
    const bindings = await listBindings(hub, session)
    if (args.has('json')) context.out(JSON.stringify({ bindings }, null, 2))
    else if (bindings.length > 0) context.out(renderBindings(bindings, fitTo(context.display())))
    else context.out(`${session} has no connectors. Add one with "signalbox connectors bind ${session} <name>".`)
    return 'ok'
  },
})

function renderBindings(bindings: readonly Binding[], options: TableOptions): string {
  const rows = bindings.map(({ label, connector, priority, upstream, overrides, resolved, consent }) => [
    label,
    connector,
    String(priority),
    upstream?.is ?? 'stopped',
    Object.keys(overrides).join(', ') || '–',
    needs(resolved) ??
      (consent?.is === 'wanted' ? `it needs your consent: signalbox connectors allow ${connector}` : undefined) ??
      visibleText(upstream?.reason ?? upstream?.breach?.sentence ?? upstream?.warning ?? '–'),
  ])
  return renderTable([['label', 'connector', 'priority', 'upstream', 'overrides', 'problem'], ...rows], options)
}

function needs(resolved: Binding['resolved']): string | undefined {
  const missing = resolved?.['missing']
  return Array.isArray(missing) ? `the hub has no ${missing.join(', ')}` : undefined
}
