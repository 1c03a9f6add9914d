/** `signalbox connectors rm` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

const deleted = z.object({ name: z.string(), sessions: z.array(z.string()) })

export const command = defineCommand({
  takes: '<name>',
  about: 'Forgets a connector. Sessions that use it lose its tools at once; it says which.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox connectors rm github'],
  async run(args, context) {
    const answer = deleted.parse(await askHub('delete_connector', { name: args.words[0] }, args, context))
    const lost = answer.sessions.length > 0 ? ` ${answer.sessions.join(', ')} lost it.` : ''
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : `${answer.name} is forgotten.${lost}`)
    return 'ok'
  },
})
