/** `signalbox approvals show` */
import { readApproval } from './approval-answer.ts'
import { renderApproval } from './approval-card.ts'
import { connectFrom } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

export const command = defineCommand({
  takes: '<id>',
  about: 'Shows one approval: who asks, for what, with which arguments, because of which rule, and what was answered.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox approvals show a1f3b2c4d5e6'],
  async run(args, context) {
    await using hub = await connectFrom(args, context)
    const approval = await readApproval(hub, args.words[0] ?? '')
    if (args.has('json')) context.out(JSON.stringify(approval, null, 2))
    else for (const line of renderApproval(approval, new Date())) context.out(line)
    return 'ok'
  },
})
