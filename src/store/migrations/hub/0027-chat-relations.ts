import type { Migration } from '../migration.ts'

/** Who may speak in a bridged room, and what messages say about earlier ones. */
export const chatRelations: Migration = {
  name: '0027-chat-relations',
  statements: [
    `alter table chat_rooms add column users text not null default '[]'`,
    `alter table chat_rooms add column invited_by text`,
    `alter table chat_messages add column replies_to integer`,
    `alter table chat_messages add column replaces integer`,
    `alter table chat_messages add column removes integer`,
    `alter table chat_messages add column is_gone integer not null default 0`,
  ],
}
