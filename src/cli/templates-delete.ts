/** `signalbox templates delete` */
import { z } from 'zod'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

const deleted = z.object({ name: z.string() })

export const command = defineCommand({
  takes: '<name>',
  about: 'Deletes a template of your own. Those that are shipped stay; sessions that run are not touched.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox templates delete reviewer'],
  async run(args, context) {
    const answer = deleted.parse(await askHub('delete_template', { name: args.words[0] }, args, context))
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : `Template ${answer.name} is deleted.`)
    return 'ok'
  },
})
