/** `signalbox policy save` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { checkPolicy, readPolicyFile } from './policy-file.ts'
import { nameOwner, ownerFlags, policyAnswer, readNumber, readOwner } from './policy-owner.ts'
import { shownLines } from './shown-lines.ts'

const savedAnswer = policyAnswer.extend({ diff: z.string() })

export const command = defineCommand({
  takes: '<file | ->',
  about: [
    'Saves a file as the next version of a policy, and shows what changed. A broken one is refused with its line, and the',
    'old one stays. An empty file takes the policy away: the hub then goes by the one it was shipped with.',
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
    if (check.is === 'broken') throw new CliError('failed', `${file === '-' ? 'stdin' : file}, ${check.fault}`)
    const ifVersion = readNumber(args, 'if-version')
    const input = { ...owner, source, ...(ifVersion !== undefined && { if_version: ifVersion }) }
    const answer = savedAnswer.parse(await askHub('set_policy', input, args, context))
    if (args.has('json')) {
      context.out(JSON.stringify(answer, null, 2))
      return 'ok'
    }
    if (answer.diff !== '') context.out(shownLines(answer.diff))
    context.err(`${nameOwner(owner)} is at version ${answer.version}.`)
    return 'ok'
  },
})
