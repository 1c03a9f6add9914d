/** `signalbox approvals show` */
import { z } from 'zod'
import { approvalSchema } from '../api/approval.ts'
import { renderApproval } from './approval-card.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

const answerSchema = z.object({ approvals: z.tuple([approvalSchema]) })

export const command = defineCommand({
  takes: '<id>',
  about: 'Shows one approval: who asks, for what, with which arguments, because of which rule, and what was answered.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox approvals show a1f3b2c4d5e6'],
  async run(args, context) {
    const answer = answerSchema.parse(await askHub('list_approvals', { id: args.words[0] }, args, context))
    const [approval] = answer.approvals
    if (args.has('json')) context.out(JSON.stringify(approval, null, 2))
    else for (const line of renderApproval(approval, new Date())) context.out(line)
    return 'ok'
  },
})
