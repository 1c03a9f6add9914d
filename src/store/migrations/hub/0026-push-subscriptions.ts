import type { Migration } from '../migration.ts'

export const pushSubscriptions: Migration = {
  name: '0026-push-subscriptions',
  statements: [
    `create table push_subscriptions (
      id text not null primary key,
      hub_id text not null,
      endpoint text not null,
      public_key text not null,
      auth_secret text not null,
      label text,
      token_id text not null,
      created_at text not null,
      sent_at text,
      last_error text
    )`,
    `create unique index push_subscriptions_by_endpoint on push_subscriptions (hub_id, endpoint)`,
  ],
}
