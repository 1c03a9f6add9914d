import type { Migration } from '../migration.ts'

/** The answer to a request after a restart, if the hub knows more than "outcome unknown". */
export const answersIfLost: Migration = {
  name: '0003-answers-if-lost',
  statements: ['alter table connection_streams add column answer_if_lost text'],
}
