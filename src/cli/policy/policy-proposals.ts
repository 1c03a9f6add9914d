/** `signalbox policy proposals`, `… accept` and `… reject` */
import { z } from 'zod'
import type { Proposal } from '../../api/policy.ts'
import { proposalSchema } from '../../api/policy.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'
import { ageOf } from '../terminal-output/age.ts'
import { visibleLines, visibleText } from '../terminal-output/visible-text.ts'

export const list = toolCommand({
  about:
    'Lists the rules that agents propose, newest first, with the reasons. "policy accept" adds them to the policy.',
  flags: {
    all: { short: 'a', about: 'include accepted, rejected and withdrawn proposals' },
    session: { takes: 'SESSION', about: 'only proposals of this session, by name or id' },
  },
  examples: ['signalbox policy proposals'],
  tool: 'list_policy_proposals',
  input: (args) => ({ status: args.has('all') ? 'all' : undefined, session: args.text('session') }),
  answer: z.object({ proposals: z.array(proposalSchema) }),
  print: ({ proposals }) =>
    proposals.map((proposal) => renderProposal(proposal, new Date())).join('\n\n') || 'No agent proposes rules.',
})

export const accept = decideCommand('accept', 'Adds the rules that an agent proposes to the policy of its session.')
export const reject = decideCommand(
  'reject',
  'Rejects the rules that an agent proposes. The agent can read the reason.',
)

function decideCommand(decision: 'accept' | 'reject', about: string) {
  return toolCommand({
    takes: '<id>',
    about,
    flags: { reason: { takes: 'TEXT', about: 'the reason, which the agent can read' } },
    words: oneWord,
    examples: [`signalbox policy ${decision} pm3k2x9a41f`],
    tool: 'decide_policy_proposal',
    input: (args) => ({ id: args.words[0], decision, reason: args.text('reason') }),
    answer: proposalSchema.extend({ version: z.number().optional(), diff: z.string().optional() }),
    print: ({ id, session, version, diff }) =>
      diff === undefined
        ? `Rejected proposal ${id}.`
        : { out: visibleLines(diff), err: [`The policy of the session ${session} is at version ${version}.`] },
  })
}

function renderProposal({ id, session, status, created_at, decided_by, why, rules }: Proposal, now: Date): string {
  const decided = status === 'pending' ? '' : `, ${status} by ${visibleText(decided_by ?? 'unknown')}`
  const lines = rules.replace(/\n$/, '').split('\n')
  return [
    `${id}  ${session}, ${ageOf(created_at, now)} ago${decided}: ${visibleText(why)}`,
    ...lines.map((line) => `    ${visibleText(line)}`),
  ].join('\n')
}
