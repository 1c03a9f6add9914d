import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { connections } from './0001-connections.ts'
import { changedLists } from './0002-changed-lists.ts'

test('moves changed lists from the subscriptions into a table of their own', () => {
  using database = new DatabaseSync(':memory:')
  for (const statement of connections.statements) database.exec(statement)
  database.exec(`insert into connections values ('c1', 'h', 't', 'v', '{}', '{}', null, null, '', '')`)
  const insert = database.prepare(`insert into connection_subscriptions values ('c1', ?, ?)`)
  insert.run('thing://one', 1)
  insert.run('thing://two', 0)
  insert.run('list:tools:compositor:a', 1)
  insert.run('list:tools:compositor:b', 1)
  insert.run('list:prompts:compositor:a', 0)
  for (const statement of changedLists.statements) database.exec(statement)
  const rows = (query: string) =>
    database
      .prepare(query)
      .all()
      .map((row) => Object.values(row))
  expect(rows('select * from connection_changed_lists')).toEqual([['c1', 'tools']])
  expect(rows('select uri, changed from connection_subscriptions order by uri')).toEqual([
    ['thing://one', 1],
    ['thing://two', 0],
  ])
})
