import type { Migration } from '../migration.ts'

export const conversations: Migration = {
  name: '0012-conversations',
  statements: [
    // JSON: a list
    `alter table sessions add column agent_args text not null default '[]'`,
    // Empty if the agent has a conversation whose id is not known yet.
    `alter table sessions add column conversation_id text`,
    `alter table sessions add column resumed_from text`,
  ],
}
