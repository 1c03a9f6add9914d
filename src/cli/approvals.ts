/** `signalbox approvals` */
import { answerAtKeyboard } from './approvals-desk.ts'
import { findHubFrom } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags } from './common-flags.ts'

export const command = defineCommand({
  about: [
    'Shows the calls of agents that wait for a person, one after another, and answers them at the keyboard: a approves, d',
    'denies, x aborts the turn, s approves for the session and r as a rule (both show first what they would grant), n goes to',
    'the next, q leaves. It waits for more. For scripts there are "approvals ls", "approve", "deny" and "abort".',
  ].join('\n'),
  flags: hubFlags,
  examples: ['signalbox approvals'],
  async run(args, context) {
    if (!context.display()) {
      throw new CliError(
        'usage',
        'approvals needs a terminal, and this is a pipe or a file: "signalbox approvals ls" lists them.',
      )
    }
    const { connect } = await findHubFrom(args, context)
    const answered = await answerAtKeyboard(connect)
    for (const line of answered) context.err(line)
    return 'ok'
  },
})
