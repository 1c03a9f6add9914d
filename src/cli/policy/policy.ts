/** `signalbox policy` */
import { ageOf } from '../terminal-output/age.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import type { PolicyAnswer, PolicyOwner } from './policy-owner.ts'
import { nameOwner, ownerFlags, policyAnswer, readNumber, readOwner } from './policy-owner.ts'
import { visibleLines } from '../terminal-output/visible-text.ts'

export const command = defineCommand({
  takes: '[show]',
  about: [
    'Prints the policy of the hub, of a template or of a session, which says what agents may do. The rules of all',
    'three are pooled, and the strictest rule that matches a call wins.',
  ].join('\n'),
  flags: {
    ...ownerFlags,
    version: { takes: 'N', about: 'an earlier version' },
    ...hubFlags,
    ...jsonFlag,
  },
  words: { min: 0, max: 1 },
  onlyWord: 'show',
  examples: ['signalbox policy', 'signalbox policy --scope session --target fix-tests'],
  async run(args, context) {
    const owner = readOwner(args)
    const version = readNumber(args, 'version')
    const input = { ...owner, ...(version !== undefined && { version }) }
    const answer = policyAnswer.parse(await askHub('get_policy', input, args, context))
    if (args.has('json')) {
      context.out(JSON.stringify(answer, null, 2))
      return 'ok'
    }
    context.err(describe(answer, owner))
    if (answer.fault !== undefined) context.err(`signalbox: warning: this policy is invalid: ${answer.fault}`)
    const text = answer.source.replace(/\n$/, '')
    // A file gets the text unchanged. A person sees invisible characters that an agent may have put into an accepted rule.
    if (text !== '' && context.display()) context.out(visibleLines(text))
    else if (text !== '') await context.write(`${text}\n`)
    return 'ok'
  },
})

function describe({ origin, version, saved_at: at, saved_by: by }: PolicyAnswer, owner: PolicyOwner): string {
  const name = nameOwner(owner)
  switch (origin) {
    case 'saved':
      return `# ${name}, version ${version}${at === undefined ? '' : `, saved by ${by} ${ageOf(at, new Date())} ago`}`
    case 'shipped':
      return `# ${name}, as shipped; change it with "signalbox policy edit"`
    case 'template-file':
      return `# ${name}, from its file`
    case 'none':
      return `# ${name} is empty; write it with "signalbox policy edit"`
  }
}
