/** `signalbox adopt` */
import { sessionSchema } from '../api/session.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

export const command = defineCommand({
  takes: '<tmux-target>',
  about: [
    'Takes a tmux session that runs already under the hub: it is listed, shown, recorded and steered like any other, and',
    '"tmux attach" goes on working. The target is written as for tmux, with its names in full: work, work:1, work:1.2.',
  ].join('\n'),
  flags: { name: { takes: 'NAME', about: 'its name here (default: from its name in tmux)' }, ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox adopt work', 'signalbox adopt work:1.0 --name tests'],
  async run(args, context) {
    const name = args.text('name')
    const input = { target: args.words[0], ...(name !== undefined && { name }) }
    const session = sessionSchema.parse(await askHub('adopt_session', input, args, context))
    context.out(args.has('json') ? JSON.stringify(session, null, 2) : session.name)
    return 'ok'
  },
})
