/** `signalbox grants` */
import { z } from 'zod'
import { grantSchema } from '../api/approval.ts'
import type { Grant } from '../api/approval.ts'
import { ageOf } from './age.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { shownText } from './shown-text.ts'
import { fitTo, renderTable } from './table.ts'
import type { TableOptions } from './table.ts'

const answerSchema = z.object({ grants: z.array(grantSchema) })

export const command = defineCommand({
  about: 'Lists the grants, the newest first: what was approved for more than one call.',
  flags: {
    all: { short: 'a', about: 'also those that were revoked' },
    session: { takes: 'SESSION', about: 'only those that hold in this session, by name or id' },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: ['signalbox grants', 'signalbox grants --session fix-tests'],
  async run(args, context) {
    const session = args.text('session')
    const input = { revoked: args.has('all'), ...(session !== undefined && { session }) }
    const { grants } = answerSchema.parse(await askHub('list_grants', input, args, context))
    if (args.has('json')) context.out(JSON.stringify({ grants }, null, 2))
    else if (grants.length === 0) context.out('There are no grants.')
    else context.out(renderGrants(grants, new Date(), fitTo(context.display())))
    return 'ok'
  },
})

function renderGrants(grants: readonly Grant[], now: Date, options: TableOptions = {}): string {
  const rows = grants.map((each) => [
    each.id,
    each.session ?? 'all sessions',
    shownText(each.tool),
    `${ageOf(each.created_at, now)} ago`,
    shownText(each.created_by),
    each.revoked_at === undefined ? 'yes' : `revoked by ${shownText(each.revoked_by ?? 'somebody')}`,
    each.when === undefined ? 'any arguments' : shownText(JSON.stringify(each.when)),
  ])
  return renderTable([['id', 'in', 'tool', 'made', 'by', 'good', 'when'], ...rows], options)
}
