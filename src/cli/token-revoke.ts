/** `signalbox token revoke` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

const revoked = z.object({ id: z.string(), revoked_at: z.string() })

export const command = defineCommand({
  takes: '<id>',
  about: 'Makes a token worthless, at once: open streams of whoever uses it end. "signalbox token list" has the ids.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox token revoke tok_7f3a'],
  async run(args, context) {
    const answer = revoked.parse(await askHub('revoke_token', { id: args.words[0] }, args, context))
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : `Token ${answer.id} is revoked.`)
    return 'ok'
  },
})
