/** `signalbox jobs cancel` */
import { jobSchema } from '../../api/job.ts'
import { oneWord, toolCommand } from '../hub-client/tool-command.ts'

export const command = toolCommand({
  takes: '<id>',
  about: 'Cancels a job. A queued job never starts, and a running job is killed. A job that has ended does not change.',
  words: oneWord,
  examples: ['signalbox jobs cancel j7f3a2'],
  tool: 'cancel_job',
  input: ({ words: [id] }) => ({ id }),
  answer: jobSchema,
  print: ({ id, status }) => `Job ${id} is ${status}.`,
})
