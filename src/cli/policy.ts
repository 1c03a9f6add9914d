/** `signalbox policy` */
import { ageOf } from './age.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { unknownCommand } from './help.ts'
import type { PolicyAnswer, PolicyOwner } from './policy-owner.ts'
import { nameOwner, ownerFlags, policyAnswer, readNumber, readOwner } from './policy-owner.ts'
import { shownLines } from './shown-lines.ts'

export const command = defineCommand({
  takes: '[show]',
  about: [
    'Prints what agents may do, as it is written: the policy of the hub, of a template or of a session. The rules of all',
    'three are pooled, and the strictest that matches a call counts.',
  ].join('\n'),
  flags: {
    ...ownerFlags,
    version: { takes: 'N', about: 'an earlier version' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 0, max: 1 },
  examples: ['signalbox policy', 'signalbox policy --scope session --target fix-tests'],
  async run(args, context) {
    const [word = 'show'] = args.words
    if (word !== 'show') throw unknownCommand(`policy ${word}`)
    const owner = readOwner(args)
    const version = readNumber(args, 'version')
    const input = { ...owner, ...(version !== undefined && { version }) }
    const answer = policyAnswer.parse(await askHub('get_policy', input, args, context))
    if (args.has('json')) {
      context.out(JSON.stringify(answer, null, 2))
      return 'ok'
    }
    context.err(describe(answer, owner))
    if (answer.fault !== undefined) context.err(`signalbox: warning: it cannot be used: ${answer.fault}`)
    const text = answer.source.replace(/\n$/, '')
    // Into a file it goes as it is; a person sees what an agent may have hidden in a rule that was accepted.
    if (text !== '') context.out(context.display() ? shownLines(text) : text)
    return 'ok'
  },
})

function describe({ origin, version, saved_at: at, saved_by: by }: PolicyAnswer, owner: PolicyOwner): string {
  const whose = nameOwner(owner)
  switch (origin) {
    case 'saved':
      return `# ${whose}, version ${version}${at === undefined ? '' : `, saved by ${by} ${ageOf(at, new Date())} ago`}`
    case 'shipped':
      return `# ${whose}, as it is shipped; "signalbox policy edit" makes it yours`
    case 'template-file':
      return `# ${whose}, from its file`
    case 'none':
      return `# ${whose} says nothing; "signalbox policy edit" writes one`
  }
}
