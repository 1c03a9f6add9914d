/** `signalbox grants revoke` */
import { grantSchema } from '../api/approval.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

export const command = defineCommand({
  takes: '<id>',
  about: 'Takes a grant back: the next such call is asked for again.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox grants revoke g7f3a2b1c0d9'],
  async run(args, context) {
    const grant = grantSchema.parse(await askHub('revoke_grant', { id: args.words[0] }, args, context))
    context.out(args.has('json') ? JSON.stringify(grant, null, 2) : `The grant ${grant.id} holds no more.`)
    return 'ok'
  },
})
