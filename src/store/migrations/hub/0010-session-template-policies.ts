import type { Migration } from '../migration.ts'

export const sessionTemplatePolicies: Migration = {
  name: '0010-session-template-policies',
  statements: [
    // The last known policy of a session's template. It applies while the template's file cannot be read.
    `create table session_template_policies (
      session_id text not null primary key references sessions (id) on delete cascade,
      origin text not null,
      source text,
      seen_at text not null
    )`,
  ],
}
