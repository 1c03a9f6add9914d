import type { Migration } from '../migration.ts'

export const loginCodes: Migration = {
  name: '0017-login-codes',
  statements: [
    `create table login_codes (
      hash text not null primary key,
      created_by text not null,
      created_at text not null,
      expires_at text not null
    )`,
  ],
}
