/** `signalbox policy accept` and `signalbox policy reject` */
import { proposalSchema } from '../api/policy.ts'
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { shownLines } from './shown-lines.ts'

const decided = proposalSchema.extend({ version: z.number().optional(), diff: z.string().optional() })

export const accept = decideCommand('accept', 'Adds the rules that an agent asked for to the policy of its session.')
export const reject = decideCommand('reject', 'Refuses the rules that an agent asked for. It can read why.')

function decideCommand(decision: 'accept' | 'reject', about: string) {
  return defineCommand({
    takes: '<id>',
    about,
    flags: { reason: { takes: 'TEXT', about: 'why; the agent can read it' }, ...hubFlags, ...jsonFlag },
    words: { min: 1, max: 1 },
    examples: [`signalbox policy ${decision} pm3k2x9a41f`],
    async run(args, context) {
      const reason = args.text('reason')
      const input = { id: args.words[0], decision, ...(reason !== undefined && { reason }) }
      const answer = decided.parse(await askHub('decide_policy_proposal', input, args, context))
      if (args.has('json')) context.out(JSON.stringify(answer, null, 2))
      else if (answer.diff === undefined) context.out(`The proposal ${answer.id} is rejected.`)
      else {
        context.out(shownLines(answer.diff))
        context.err(`The policy of the session ${answer.session} is at version ${answer.version}.`)
      }
      return 'ok'
    },
  })
}
