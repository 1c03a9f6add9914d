import type { Migration } from '../migration.ts'

export const jobPrompts: Migration = {
  name: '0015-job-prompts',
  // The prompt of a job, which has to wait for its turn with it.
  statements: [`alter table sessions add column prompt text`],
}
