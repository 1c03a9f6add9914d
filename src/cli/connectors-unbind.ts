/** `signalbox connectors unbind` */
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

export const command = defineCommand({
  takes: '<session> <label>',
  about: 'Takes the tools of a connector away from a session, at once.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 2, max: 2 },
  examples: ['signalbox connectors unbind build gh'],
  async run(args, context) {
    const [session, label] = args.words
    const answer = await askHub('unbind_connector', { session, label }, args, context)
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : `${session} has ${label} no more.`)
    return 'ok'
  },
})
