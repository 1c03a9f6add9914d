/** `signalbox policy diff` */
import { unifiedDiff } from '../base/unified-diff.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { readPolicyFile } from './policy-file.ts'
import { nameOwner, ownerFlags, policyAnswer, readOwner } from './policy-owner.ts'
import { shownLines } from './shown-lines.ts'

export const command = defineCommand({
  takes: '<file | ->',
  about: 'Shows what saving this file would change in the policy that holds now. Nothing is saved.',
  flags: { ...ownerFlags, ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox policy diff policy.yaml'],
  async run(args, context) {
    const [file = ''] = args.words
    const owner = readOwner(args)
    const wanted = await readPolicyFile(file, context)
    const { source, version } = policyAnswer.parse(await askHub('get_policy', { ...owner }, args, context))
    const diff = unifiedDiff(source, wanted, { before: `${nameOwner(owner)}, version ${version}`, after: file })
    if (args.has('json')) context.out(JSON.stringify({ version, diff }, null, 2))
    else context.out(diff === '' ? 'Nothing would change.' : shownLines(diff))
    return 'ok'
  },
})
