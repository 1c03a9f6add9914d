/** `signalbox policy diff` */
import { unifiedDiff } from '../../base/unified-diff.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { readPolicyFile } from './policy-file.ts'
import { nameOwner, ownerFlags, policyAnswer, readOwner } from './policy-owner.ts'
import { visibleLines } from '../terminal-output/visible-text.ts'

export const command = defineCommand({
  takes: '<file | ->',
  about: 'Shows what saving this file would change in the current policy. Saves nothing.',
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
    else context.out(diff === '' ? 'Nothing would change.' : visibleLines(diff))
    return 'ok'
  },
})
