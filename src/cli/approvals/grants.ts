/** `signalbox grants` and `signalbox grants revoke` */
import { z } from 'zod'
import { grantSchema } from '../../api/approval.ts'
import type { Grant } from '../../api/approval.ts'
import { ageOf } from '../terminal-output/age.ts'
import { visibleText } from '../terminal-output/visible-text.ts'
import { fitTo, renderTable } from '../terminal-output/table.ts'
import type { TableOptions } from '../terminal-output/table.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

export const list = toolCommand({
  about: 'Lists the grants, newest first. A grant is an approval for more than one call.',
  flags: {
    all: { short: 'a', about: 'include revoked grants' },
    session: { takes: 'SESSION', about: 'only grants that apply in this session, by name or id' },
  },
  examples: ['signalbox grants', 'signalbox grants --session fix-tests'],
  tool: 'list_grants',
  input: (args) => ({ revoked: args.has('all'), session: args.text('session') }),
  answer: z.object({ grants: z.array(grantSchema) }),
  print: ({ grants }, { display }) =>
    grants.length === 0 ? 'There are no grants.' : renderGrants(grants, new Date(), fitTo(display)),
})

export const revoke = toolCommand({
  takes: '<id>',
  about: 'Revokes a grant: the next such call needs an approval again.',
  words: oneWord,
  examples: ['signalbox grants revoke g7f3a2b1c0d9'],
  tool: 'revoke_grant',
  input: ({ words: [id] }) => ({ id }),
  answer: grantSchema,
  print: ({ id }) => `Revoked grant ${id}.`,
})

function renderGrants(grants: readonly Grant[], now: Date, options: TableOptions = {}): string {
  const rows = grants.map((each) => [
    each.id,
    each.session ?? 'all sessions',
    visibleText(each.tool),
    `${ageOf(each.created_at, now)} ago`,
    visibleText(each.created_by),
    each.revoked_at === undefined ? 'yes' : `revoked by ${visibleText(each.revoked_by ?? 'unknown')}`,
    each.when === undefined ? 'any arguments' : visibleText(JSON.stringify(each.when)),
  ])
  return renderTable([['id', 'in', 'tool', 'created', 'by', 'valid', 'when'], ...rows], options)
}
