/** `signalbox trace`: one call's whole path, as a tree. */
import { z } from 'zod'
import { approvalSchema } from '../api/approval.ts'
import { ask, connectFrom } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { eventFields } from './event-fields.ts'
import type { HubConnection } from './hub-client.ts'
import { shownText } from './shown-text.ts'

export interface Span {
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
    'ended. The id is that of its approval, or the "correlation" of its events and, for an agent, in the _meta of the result.',
    'What was said of the call already is not said again; --json has all of it.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox trace a1f3b2c4d5e6', 'signalbox trace 4bf92f3577b34da6a3ce929d0e0e4736'],
  async run(args, context) {
    const [id = ''] = args.words
    await using hub = await connectFrom(args, context)
    const trace = await ask(hub, 'get_trace', { correlation: await correlationOf(id, hub) })
    context.out(args.has('json') ? JSON.stringify(trace, null, 2) : renderTrace(trace['spans'] as readonly Span[]))
    return 'ok'
  },
})

const approvalsSchema = z.object({ approvals: z.array(approvalSchema) })

/** What is no approval is taken for a correlation. */
async function correlationOf(id: string, hub: HubConnection): Promise<string> {
  const answer = await hub.callTool('list_approvals', { id })
  const [approval] = answer.isError ? [] : approvalsSchema.parse(answer.structured).approvals
  return approval?.correlation ?? id
}

export function renderTrace(spans: readonly Span[]): string {
  return spans.map((span, index) => renderSpan(span, '', index === spans.length - 1, new Set())).join('\n')
}

/** `said`: by the call it belongs to, and by what came before it in that call. */
function renderSpan(span: Span, indent: string, isLast: boolean, said: Set<string>): string {
  const line = `${indent}${isLast ? '└─ ' : '├─ '}${lineOf(span, said)}`
  const inside = new Set(said)
  const below = span.spans.map((each, index) =>
    renderSpan(each, `${indent}${isLast ? '   ' : '│  '}`, index === span.spans.length - 1, inside),
  )
  return [line, ...below].join('\n')
}

/** When, what happened, and the little that tells it from what is above it. */
function lineOf({ type, after_ms, route, payload }: Span, said: Set<string>): string {
  const fields = [...(route === undefined ? [] : [route]), ...eventFields(payload)]
  const isCall = type === 'tool-called'
  const news = fields.filter((field) => (isCall || !said.has(field)) && !type.endsWith(`-${field.split('=')[1]}`))
  for (const field of fields) said.add(field)
  return [`+${after_ms} ms`, type, ...news.map(shownText)].join('  ')
}
