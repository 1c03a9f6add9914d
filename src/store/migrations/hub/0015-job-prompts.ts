import type { Migration } from '../migration.ts'

export const jobPrompts: Migration = {
  name: '0015-job-prompts',
  // The prompt of a job. It waits in the queue with the job.
  statements: [`alter table sessions add column prompt text`],
}
