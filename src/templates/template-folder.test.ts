import fs, { utimesSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { openTemplateFolder } from './template-folder.ts'

test('reads a file again after a failed read, even if the file has not changed', () => {
  const path = temporaryDirectory()
  const file = join(path, 'guard.json')
  writeFileSync(file, JSON.stringify({ name: 'guard', policy: 'default: deny' }))
  // Old enough for its stamp to be trusted.
  utimesSync(file, 1_000, 1_000)
  const folder = openTemplateFolder(path)

  const broken = vi.spyOn(fs, 'readFileSync').mockImplementation(() => {
    throw new Error('EMFILE: too many open files')
  })
  syncBuiltinESMExports()
  try {
    expect(folder.refresh().isChanged).toBe(true)
    expect(folder.files.get('guard')?.content.is).toBe('unreadable')
    expect(folder.refresh().isChanged).toBe(false)
  } finally {
    broken.mockRestore()
    syncBuiltinESMExports()
  }

  expect(folder.refresh().isChanged).toBe(true)
  expect(folder.files.get('guard')?.content.is).toBe('good')
})
