/** `signalbox trace`: everything that a call caused, as a tree. */
import type { Detachment, OpenOutcome, Span } from '../../api/trace.ts'
import { endTypeOf, traceSchema } from '../../api/trace.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { ask, openHubClient } from '../hub-client/ask-hub.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import { eventFields } from './event-fields.ts'

export const command = defineCommand({
  takes: '<id>',
  about: [
    'Shows the record of one call: its arguments, the rule that decided, the person who approved, its route and its outcome.',
    'A call that prompts an agent shows its turn: the calls of models with their tokens and cost, the calls of tools, and the',
    'turns of other sessions that it asked.',
    'If the person answered after the call had stopped waiting, it also shows the call that the agent made again.',
    'The id is the id of its approval or its correlation, which is in its events and, for an agent, in the _meta of the',
    'result. Each line leaves out the fields that a line above it shows; --json prints all of them.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox trace a1f3b2c4d5e6', 'signalbox trace 4bf92f3577b34da6a3ce929d0e0e4736'],
  async run(args, context) {
    const [id = ''] = args.words
    using hub = await openHubClient(args, context)
    const trace = await ask(hub, 'get_trace', { correlation: id })
    if (args.has('json')) {
      context.out(JSON.stringify(trace, null, 2))
      return 'ok'
    }
    const { spans, truncated } = traceSchema.parse(trace)
    context.out(renderTrace(spans))
    if (truncated)
      context.err(`signalbox: these are the first events only. "signalbox events --trace ${id}" lists all.`)
    return 'ok'
  },
})

/** The fields of a span that are shown. */
export interface ShownSpan extends Pick<
  Span,
  'type' | 'after_ms' | 'ms' | 'route' | 'payload' | 'outcome' | 'detached'
> {
  readonly spans: readonly ShownSpan[]
}

export function renderTrace(spans: readonly ShownSpan[]): string {
  return spans.map((span, index) => renderSpan(span, '', index === spans.length - 1, new Set())).join('\n')
}

/** `shown` has the fields of the enclosing call and of the earlier lines in it. */
function renderSpan(span: ShownSpan, indent: string, isLast: boolean, shown: Set<string>): string {
  const line = `${indent}${isLast ? '└─ ' : '├─ '}${lineOf(span, shown)}`
  const inside = new Set(shown)
  const below = span.spans.map((each, index) =>
    renderSpan(each, `${indent}${isLast ? '   ' : '│  '}`, index === span.spans.length - 1, inside),
  )
  return [line, ...below].join('\n')
}

/** The time, the type, and the fields that are not shown above. */
function lineOf(span: ShownSpan, shown: Set<string>): string {
  const { type, after_ms, ms, route, payload, outcome, detached } = span
  const fields = [...(route === undefined ? [] : [route]), ...eventFields(payload)]
  const isBeginning = endTypeOf(span) !== undefined
  const fresh = fields.filter(
    (field) => (isBeginning || !shown.has(field)) && !type.endsWith(`-${field.split('=')[1]}`),
  )
  for (const field of fields) shown.add(field)
  return [
    `+${after_ms} ms`,
    type,
    ...fresh.map(visibleText),
    ...(ms === undefined ? [] : [`took ${ms} ms`]),
    ...(outcome === undefined ? [] : [outcomeWords[outcome]]),
    ...(detached === undefined ? [] : [detachedWords[detached]]),
  ].join('  ')
}

const outcomeWords: Readonly<Record<OpenOutcome, string>> = {
  running: 'still running',
  unknown: 'outcome unknown',
  cut: 'cut: its session has ended',
}

const detachedWords: Readonly<Record<Detachment, string>> = {
  missing: '(its parent is not in the log)',
  cyclic: '(its parent is below it)',
}
