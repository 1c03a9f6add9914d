/** `signalbox trace`: one call's whole path, as a tree. */
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

interface Span {
  readonly type: string
  readonly after_ms: number
  readonly route?: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly spans: readonly Span[]
}

export const command = defineCommand({
  takes: '<id>',
  about: [
    'Shows what was recorded of one call: what was asked for, which rule decided, who approved it, where it went and how it',
    'ended. The id is the "correlation" of its events, of its approval and, for an agent, in the _meta of the result.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox trace 4bf92f3577b34da6a3ce929d0e0e4736'],
  async run(args, context) {
    const [correlation = ''] = args.words
    const trace = await askHub('get_trace', { correlation }, args, context)
    context.out(args.has('json') ? JSON.stringify(trace, null, 2) : renderTrace(trace['spans'] as readonly Span[]))
    return 'ok'
  },
})

export function renderTrace(spans: readonly Span[], indent = ''): string {
  return spans
    .map((span, index) => {
      const isLast = index === spans.length - 1
      const below = renderTrace(span.spans, `${indent}${isLast ? '   ' : '│  '}`)
      return `${indent}${isLast ? '└─ ' : '├─ '}${lineOf(span)}${below === '' ? '' : `\n${below}`}`
    })
    .join('\n')
}

/** Times first, so that they stand in a column; then what happened, then the little that tells it from others. */
function lineOf({ type, after_ms, route, payload }: Span): string {
  const shown = Object.entries(payload)
    .filter(([name]) => !hidden.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return [`+${after_ms} ms`, type, ...(route === undefined ? [] : [route]), ...shown].join('  ')
}

const hidden = new Set(['token_id', 'role'])
