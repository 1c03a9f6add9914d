/** `signalbox policy proposals` */
import { z } from 'zod'
import type { Proposal } from '../api/policy.ts'
import { proposalSchema } from '../api/policy.ts'
import { ageOf } from './age.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { shownText } from './shown-text.ts'

const list = z.object({ proposals: z.array(proposalSchema) })

export const command = defineCommand({
  about: 'Lists the rules that agents have asked for, the newest first, and why. "policy accept" makes them hold.',
  flags: {
    all: { short: 'a', about: 'also those that were accepted, rejected or withdrawn' },
    session: { takes: 'SESSION', about: 'only those of this session, by name or id' },
    ...hubFlags,
    ...jsonFlag,
  },
  examples: ['signalbox policy proposals'],
  async run(args, context) {
    const session = args.text('session')
    const input = { ...(args.has('all') && { status: 'all' }), ...(session !== undefined && { session }) }
    const answer = list.parse(await askHub('list_policy_proposals', input, args, context))
    if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
    else if (answer.proposals.length === 0) context.out('No agent has asked for rules.')
    else context.out(answer.proposals.map((proposal) => renderProposal(proposal, new Date())).join('\n\n'))
    return 'ok'
  },
})

function renderProposal({ id, session, status, created_at, decided_by, why, rules }: Proposal, now: Date): string {
  const decided = status === 'pending' ? '' : `, ${status} by ${shownText(decided_by ?? 'nobody')}`
  const lines = rules.replace(/\n$/, '').split('\n')
  return [
    `${id}  ${session}, ${ageOf(created_at, now)} ago${decided}: ${shownText(why)}`,
    ...lines.map((line) => `    ${shownText(line)}`),
  ].join('\n')
}
