/** `signalbox keys` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

const sent = z.looseObject({ keys_sent: z.number() })

export const command = defineCommand({
  takes: '<session> <key>…',
  about: [
    'Presses keys: Enter, Tab, Escape, Backspace, Space, Up, Down, Left, Right, Home, End, PageUp, PageDown, Insert,',
    'Delete, F1 to F24 and single characters, each with Ctrl+, Alt+ or Shift+ before it. If one of them is unknown, none',
    'is pressed.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 2, max: Infinity },
  examples: ['signalbox keys fix-tests Ctrl+c', 'signalbox keys fix-tests Escape : w q Enter'],
  async run(args, context) {
    const [session, ...keys] = args.words
    const answer = await askHub('send_keys', { session, keys: keys.join(' ') }, args, context)
    const { keys_sent: count } = sent.parse(answer)
    context.out(
      args.has('json') ? JSON.stringify(answer, null, 2) : `${count} ${count === 1 ? 'key' : 'keys'} pressed.`,
    )
    return 'ok'
  },
})
