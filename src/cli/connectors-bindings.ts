/** `signalbox connectors bindings` */
import { z } from 'zod'
import { type Binding, bindingSchema } from '../api/connector.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { fitTo, renderTable, type TableOptions } from './table.ts'
import { shownText } from './shown-text.ts'

const list = z.object({ bindings: z.array(bindingSchema) })

export const command = defineCommand({
  takes: '<session>',
  about: 'Lists the connectors of a session, by label, and how their upstreams are.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox connectors bindings build'],
  async run(args, context) {
    const [session] = args.words
    const answer = list.parse(await askHub('list_bindings', { session }, args, context))
    if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
    else if (answer.bindings.length > 0) context.out(renderBindings(answer.bindings, fitTo(context.display())))
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
    needs(resolved) ?? shownText(upstream?.reason ?? '–'),
  ])
  return renderTable([['label', 'connector', 'priority', 'upstream', 'changes', 'what is wrong'], ...rows], options)
}

function needs(resolved: Binding['resolved']): string | undefined {
  const missing = resolved?.['missing']
  return Array.isArray(missing) ? `the hub has no ${missing.join(', ')}` : undefined
}
