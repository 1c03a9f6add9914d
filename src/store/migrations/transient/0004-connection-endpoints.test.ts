import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { connections } from './0001-connections.ts'
import { connectionEndpoints } from './0004-connection-endpoints.ts'

test('connections of an earlier release belong to the endpoint of the hub', () => {
  using database = new DatabaseSync(':memory:')
  for (const statement of connections.statements) database.exec(statement)
  database.exec(`insert into connections values ('c1', 'h', 't', 'v', '{}', '{}', null, null, '', '')`)
  for (const statement of connectionEndpoints.statements) database.exec(statement)
  expect(database.prepare('select id, endpoint from connections').all()).toEqual([{ id: 'c1', endpoint: 'hub' }])
})
