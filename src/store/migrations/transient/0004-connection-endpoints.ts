import type { Migration } from '../migration.ts'

/** A hub can have several endpoints. A connection belongs to the endpoint that opened it; before this, there was only one. */
export const connectionEndpoints: Migration = {
  name: '0004-connection-endpoints',
  statements: [`alter table connections add column endpoint text not null default 'hub'`],
}
