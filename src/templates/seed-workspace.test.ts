import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { templateSchema } from '../api/template.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { seedWorkspace } from './seed-workspace.ts'
import type { ListedTemplate } from './templates.ts'

test('files and folders of the template come into the workspace, programs stay programs', async () => {
  const { listed, assets, workspace } = prepare(['AGENTS.md', 'run.sh', { source: 'skills', target: '.agent/skills' }])
  writeFileSync(join(assets, 'AGENTS.md'), 'be kind')
  writeFileSync(join(assets, 'run.sh'), '#!/bin/sh', { mode: 0o700 })
  mkdirSync(join(assets, 'skills/deep'), { recursive: true })
  writeFileSync(join(assets, 'skills/deep/one.md'), 'one')
  writeFileSync(join(assets, 'skills/two.md'), 'two')

  expect(await seedWorkspace(listed, workspace)).toEqual({
    written: ['AGENTS.md', 'run.sh', '.agent/skills/deep/one.md', '.agent/skills/two.md'],
    kept: [],
  })
  expect(readFileSync(join(workspace, '.agent/skills/deep/one.md'), 'utf8')).toBe('one')
  expect(statSync(join(workspace, 'run.sh')).mode & 0o100).toBe(0o100)
})

test('a file that is there stays as it is, also where a link stands for it', async () => {
  const { listed, assets, workspace } = prepare(['AGENTS.md', 'LINK.md'])
  writeFileSync(join(assets, 'AGENTS.md'), 'theirs')
  writeFileSync(join(assets, 'LINK.md'), 'theirs')
  writeFileSync(join(workspace, 'AGENTS.md'), 'mine')
  const outside = join(temporaryDirectory(), 'not-there-yet')
  symlinkSync(outside, join(workspace, 'LINK.md'))

  expect(await seedWorkspace(listed, workspace)).toEqual({ written: [], kept: ['AGENTS.md', 'LINK.md'] })
  expect(readFileSync(join(workspace, 'AGENTS.md'), 'utf8')).toBe('mine')
  expect(existsSync(outside)).toBe(false)
})

test('a file that was put there before is neither written nor in the way', async () => {
  const { listed, assets, workspace } = prepare(['AGENTS.md'])
  writeFileSync(join(assets, 'AGENTS.md'), 'be kind')
  await seedWorkspace(listed, workspace)
  expect(await seedWorkspace(listed, workspace)).toEqual({ written: [], kept: [] })
})

test('a link on the way does not lead out of the workspace', async () => {
  const { listed, assets, workspace } = prepare(['docs/deep/NOTES.md'])
  mkdirSync(join(assets, 'docs/deep'), { recursive: true })
  writeFileSync(join(assets, 'docs/deep/NOTES.md'), 'notes')
  const outside = temporaryDirectory()
  symlinkSync(outside, join(workspace, 'docs'))
  await expect(seedWorkspace(listed, workspace)).rejects.toThrow(`${join(workspace, 'docs')} is no folder`)
  expect(existsSync(join(outside, 'deep'))).toBe(false)
})

test('a workspace may itself be reached through a link', async () => {
  const { listed, assets, workspace } = prepare(['AGENTS.md', 'docs/NOTES.md'])
  mkdirSync(join(assets, 'docs'))
  writeFileSync(join(assets, 'AGENTS.md'), '')
  writeFileSync(join(assets, 'docs/NOTES.md'), '')
  const link = join(temporaryDirectory(), 'link')
  symlinkSync(workspace, link)
  expect((await seedWorkspace(listed, link)).written).toEqual(['AGENTS.md', 'docs/NOTES.md'])
})

test('what is missing is named, with the place to put it', async () => {
  const { listed, assets, workspace } = prepare(['AGENTS.md'])
  await expect(seedWorkspace(listed, workspace)).rejects.toThrow(`which is missing: put it into ${assets}.`)
})

function prepare(include_files: readonly (string | { source: string; target: string })[]) {
  const [assets, workspace] = [temporaryDirectory(), temporaryDirectory()]
  const template = templateSchema.parse({ name: 'any', include_files })
  const listed: ListedTemplate = { template, source: 'shipped', available: true, assetDirectories: [assets] }
  return { listed, assets, workspace }
}
