/** `signalbox send` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

const sent = z.looseObject({ bytes_written: z.number() })

export const command = defineCommand({
  takes: '<session> <text | ->',
  about: [
    'Types a text into a session as it is, many lines as one paste, and then presses Enter. "-" reads the text from stdin.',
    'A text that begins with a dash stands behind "--".',
  ].join('\n'),
  flags: { 'no-enter': { about: 'do not press Enter' }, ...hubFlags, ...jsonFlag },
  words: { min: 2, max: 2 },
  examples: ['signalbox send fix-tests "run the tests again"', 'signalbox send fix-tests - <notes.md'],
  async run(args, context) {
    const [name, given = ''] = args.words
    const text = given === '-' ? await context.readStdin() : given
    const answer = await askHub('send_input', { name, text, enter: !args.has('no-enter') }, args, context)
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : `${sent.parse(answer).bytes_written} bytes typed.`)
    return 'ok'
  },
})
