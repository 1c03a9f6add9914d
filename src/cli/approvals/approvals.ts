/** `signalbox approvals` */
import { answerInteractively } from './interactive-approvals.ts'
import { findHubFrom } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags } from '../command/common-flags.ts'

export const command = defineCommand({
  about: [
    'Shows the calls that wait for a person, one after another, and takes your answers: a approves, d denies, x aborts the',
    'turn, s approves for the session, r approves as a rule (both show the grant first), n shows the next call, q quits. It',
    'stays open and waits for more calls. Scripts use "approvals ls", "approve", "deny" and "abort".',
  ].join('\n'),
  flags: hubFlags,
  examples: ['signalbox approvals'],
  async run(args, context) {
    if (!context.display()) {
      throw new CliError(
        'usage',
        'approvals needs a terminal, but this is a pipe or a file. Use "signalbox approvals ls" to list the calls.',
      )
    }
    const { connect } = await findHubFrom(args, context)
    const answered = await answerInteractively(connect)
    for (const line of answered) context.err(line)
    return 'ok'
  },
})
