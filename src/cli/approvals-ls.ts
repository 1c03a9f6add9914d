/** `signalbox approvals ls` */
import { approvalSchema } from '../api/approval.ts'
import type { Approval, ApprovalStatus } from '../api/approval.ts'
import { ageOf } from './age.ts'
import { connectFrom } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { listAll } from './list-all.ts'
import { shownText } from './shown-text.ts'
import { fitTo, renderTable } from './table.ts'
import type { Cell, StyledCell, TableOptions } from './table.ts'

export const command = defineCommand({
  about: 'Lists the calls of agents that wait for a person, the newest first.',
  flags: {
    all: { short: 'a', about: 'also those that were answered, have expired or were abandoned' },
    session: { takes: 'SESSION', about: 'only those of this session, by name or id' },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: ['signalbox approvals ls', 'signalbox approvals ls --all --session fix-tests'],
  async run(args, context) {
    const session = args.text('session')
    const filter = { status: args.has('all') ? 'all' : 'pending', ...(session !== undefined && { session }) }
    await using hub = await connectFrom(args, context)
    const approvals = await listAll(hub, { tool: 'list_approvals', name: 'approvals', item: approvalSchema }, filter)
    if (args.has('json')) context.out(JSON.stringify({ approvals }, null, 2))
    else if (approvals.length === 0)
      context.out(args.has('all') ? 'Nothing was ever asked.' : 'Nobody waits for an answer.')
    else context.out(renderApprovals(approvals, new Date(), fitTo(context.display())))
    return 'ok'
  },
})

function renderApprovals(approvals: readonly Approval[], now: Date, options: TableOptions = {}): string {
  const rows = approvals.map((each): Cell[] => [
    each.id,
    each.session,
    { text: each.status, style: styles[each.status] },
    `${ageOf(each.requested_at, now)} ago`,
    each.decided_by === undefined ? '–' : shownText(each.decided_by),
    shownText(each.tool),
    argumentsOf(each),
  ])
  return renderTable([['id', 'session', 'status', 'asked', 'by', 'tool', 'arguments'], ...rows], options)
}

function argumentsOf({ arguments: given, arguments_left_out: leftOut }: Approval): string {
  const shown = shownText(JSON.stringify(given))
  return leftOut === undefined ? shown : `${leftOut} bytes more than ${shown}`
}

const styles: Readonly<Record<ApprovalStatus, StyledCell['style']>> = {
  pending: 'yellow',
  approved: 'green',
  consumed: 'green',
  denied: 'red',
  aborted: 'red',
  expired: 'dim',
  abandoned: 'dim',
}
