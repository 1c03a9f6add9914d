import { mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { folderAt } from '../base/open-inside.ts'
import type { RepositoryRecord, RepositoryStore } from './repository-store.ts'
import { createWorkspaceRecords } from './workspace-records.ts'

test('a workspace that becomes a link after the look at it gets no record', async () => {
  const home = realpathSync(temporaryDirectory())
  const at = (path: string) => join(home, path)
  for (const folder of ['hub/workspaces', 'workspace', 'private']) mkdirSync(at(folder), { recursive: true })
  const inserted: RepositoryRecord[] = []
  const list = async () => inserted
  const insert = async (record: RepositoryRecord) => void inserted.push(record)
  const rows = { list, listWorkspaces: list, insert } as unknown as RepositoryStore
  const places = { home: at('hub'), workspaces: at('hub/workspaces') }
  const records = createWorkspaceRecords({ rows, indexes: { remove: async () => {} }, places })
  const folder = folderAt(at('workspace'))
  renameSync(at('workspace'), at('aside'))
  symlinkSync(at('private'), at('workspace'))
  await expect(records.at(at('workspace'), folder)).rejects.toThrow('no longer exists')
  expect(inserted).toEqual([])
})
