/** `signalbox approvals show` */
import { readApproval } from './approval-tools.ts'
import { renderApproval } from './approval-card.ts'
import { openHubClient } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'

export const command = defineCommand({
  takes: '<id>',
  about: 'Shows one approval: session, tool, arguments, the rule that asked, and the answer.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox approvals show a1f3b2c4d5e6'],
  async run(args, context) {
    using hub = await openHubClient(args, context)
    const approval = await readApproval(hub, args.words[0] ?? '')
    if (args.has('json')) context.out(JSON.stringify(approval, null, 2))
    else for (const line of renderApproval(approval, new Date())) context.out(line)
    return 'ok'
  },
})
