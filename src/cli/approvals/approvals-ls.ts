/** `signalbox approvals ls` */
import { z } from 'zod'
import { approvalSchema } from '../../api/approval.ts'
import type { Approval, ApprovalStatus } from '../../api/approval.ts'
import { ageOf } from '../terminal-output/age.ts'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { listAll } from '../hub-client/list-all.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import { fitTo, renderTable } from '../terminal-output/table.ts'
import type { Cell, StyledCell, TableOptions } from '../terminal-output/table.ts'

export const command = defineCommand({
  about: 'Lists the calls of agents that wait for a person, the newest first.',
  flags: {
    all: { short: 'a', about: 'include calls that were answered, have expired or were abandoned' },
    session: { takes: 'SESSION', about: 'only calls of this session, by name or id' },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: ['signalbox approvals ls', 'signalbox approvals ls --all --session fix-tests'],
  async run(args, context) {
    const session = args.text('session')
    const filter = { status: args.has('all') ? 'all' : 'pending', ...(session !== undefined && { session }) }
    using hub = await openHubClient(args, context)
    const approvals = await listAll(
      hub,
      { tool: 'list_approvals', name: 'approvals', read: (items) => z.array(approvalSchema).parse(items) },
      filter,
    )
    if (args.has('json')) context.out(JSON.stringify({ approvals }, null, 2))
    else if (approvals.length === 0)
      context.out(args.has('all') ? 'There are no approvals.' : 'No call waits for an answer.')
    else context.out(renderApprovals(approvals, new Date(), fitTo(context.display())))
    return 'ok'
  },
})

function renderApprovals(approvals: readonly Approval[], now: Date, options: TableOptions = {}): string {
  const rows = approvals.map((each): Cell[] => [
    each.id,
    each.session,
    { text: each.waiting === false ? `${each.status}, agent moved on` : each.status, style: styles[each.status] },
    `${ageOf(each.requested_at, now)} ago`,
    each.decided_by === undefined ? '–' : visibleText(each.decided_by),
    visibleText(each.tool),
    argumentsOf(each),
  ])
  return renderTable([['id', 'session', 'status', 'asked', 'by', 'tool', 'arguments'], ...rows], options)
}

function argumentsOf({ arguments: given, arguments_left_out: leftOut }: Approval): string {
  const shown = visibleText(JSON.stringify(given))
  return leftOut === undefined ? shown : `${shown} and ${leftOut} bytes more`
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
