/** `signalbox jobs cancel` */
import { jobSchema } from '../api/job.ts'
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

export const command = defineCommand({
  takes: '<id>',
  about: 'Ends a job: one that waits never begins, one that runs is killed, one that has ended stays as it is.',
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox jobs cancel j7f3a2'],
  async run(args, context) {
    const job = jobSchema.parse(await askHub('cancel_job', { id: args.words[0] }, args, context))
    context.out(args.has('json') ? JSON.stringify(job, null, 2) : `Job ${job.id} is ${job.status}.`)
    return 'ok'
  },
})
