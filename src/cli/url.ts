/** `signalbox url` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

const link = z.object({ session_url: z.string() })

export const command = defineCommand({
  takes: '<session>',
  about:
    'Prints the link under which a session is followed in a browser. It carries no token: whoever opens it logs in.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox url fix-tests'],
  async run(args, context) {
    const answer = link.parse(await askHub('get_session_url', { name: args.words[0] }, args, context))
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : answer.session_url)
    return 'ok'
  },
})
