/** `signalbox policy save` */
import { z } from 'zod'
import { askHub } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { checkPolicy, readPolicyFile } from './policy-file.ts'
import { nameOwner, ownerFlags, policyAnswer, readNumber, readOwner } from './policy-owner.ts'
import { visibleLines } from '../terminal-output/visible-text.ts'

const savedAnswer = policyAnswer.extend({ diff: z.string() })

export const command = defineCommand({
  takes: '<file | ->',
  about: [
    'Saves a file as the next version of a policy, and shows the changes. Refuses an invalid file, names the line, and keeps',
    'the old version. An empty file removes the policy; the hub then uses the shipped one.',
  ].join('\n'),
  flags: {
    ...ownerFlags,
    'if-version': { takes: 'N', about: 'only if the policy is still at this version' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 1, max: 1 },
  examples: ['signalbox policy save policy.yaml', 'signalbox policy save --scope template --target codex codex.yaml'],
  async run(args, context) {
    const [file = ''] = args.words
    const owner = readOwner(args)
    const source = await readPolicyFile(file, context)
    const check = await checkPolicy(source)
    if (check.is === 'invalid')
      throw new CliError('failed', `${file === '-' ? 'stdin' : file}, ${check.fault}`, { cause: check })
    const ifVersion = readNumber(args, 'if-version')
    const input = { ...owner, source, ...(ifVersion !== undefined && { if_version: ifVersion }) }
    const answer = savedAnswer.parse(await askHub('set_policy', input, args, context))
    if (args.has('json')) {
      context.out(JSON.stringify(answer, null, 2))
      return 'ok'
    }
    if (answer.diff !== '') context.out(visibleLines(answer.diff))
    context.err(`Saved ${nameOwner(owner)} as version ${answer.version}.`)
    return 'ok'
  },
})
