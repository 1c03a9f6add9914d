/** `signalbox connectors bindings` */
import type { Binding } from '../api/connector.ts'
import { connectFrom } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { listBindings } from './list-connectors.ts'
import { fitTo, renderTable, type TableOptions } from './table.ts'
import { shownText } from './shown-text.ts'

export const command = defineCommand({
  takes: '<session>',
  about: 'Lists the connectors of a session, by label, and how their upstreams are.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox connectors bindings build'],
  async run(args, context) {
    const [session = ''] = args.words
    await using hub = await connectFrom(args, context)
    const bindings = await listBindings(hub, session)
    if (args.has('json')) context.out(JSON.stringify({ bindings }, null, 2))
    else if (bindings.length > 0) context.out(renderBindings(bindings, fitTo(context.display())))
    else context.out(`${session} has no connectors. "signalbox connectors bind ${session} <name>" gives it one.`)
    return 'ok'
  },
})

function renderBindings(bindings: readonly Binding[], options: TableOptions): string {
  const rows = bindings.map(({ label, connector, priority, upstream, overrides, resolved }) => [
    label,
    connector,
    String(priority),
    upstream?.is ?? 'stopped',
    Object.keys(overrides).join(', ') || '–',
    needs(resolved) ?? shownText(upstream?.reason ?? upstream?.breach?.sentence ?? upstream?.warning ?? '–'),
  ])
  return renderTable([['label', 'connector', 'priority', 'upstream', 'changes', 'what is wrong'], ...rows], options)
}

function needs(resolved: Binding['resolved']): string | undefined {
  const missing = resolved?.['missing']
  return Array.isArray(missing) ? `the hub has no ${missing.join(', ')}` : undefined
}
