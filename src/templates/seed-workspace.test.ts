import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { templateSchema } from '../api/template.ts'
import { folderAt } from '../base/open-inside.ts'
import { seedWorkspace } from './seed-workspace.ts'
import type { ListedTemplate } from './template.ts'

test('copies files and folders of the template into the workspace and keeps programs executable', async () => {
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

test('does not change an existing file or follow an existing link', async () => {
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

test('does not report an identical file that was copied before', async () => {
  const { listed, assets, workspace } = prepare(['AGENTS.md'])
  writeFileSync(join(assets, 'AGENTS.md'), 'be kind')
  await seedWorkspace(listed, workspace)
  expect(await seedWorkspace(listed, workspace)).toEqual({ written: [], kept: [] })
})

test('does not follow a link on the way out of the workspace', async () => {
  const { listed, assets, workspace } = prepare(['docs/deep/NOTES.md'])
  mkdirSync(join(assets, 'docs/deep'), { recursive: true })
  writeFileSync(join(assets, 'docs/deep/NOTES.md'), 'notes')
  const outside = temporaryDirectory()
  symlinkSync(outside, join(workspace, 'docs'))
  await expect(seedWorkspace(listed, workspace)).rejects.toThrow(`${join(workspace, 'docs')} is not a folder`)
  expect(existsSync(join(outside, 'deep'))).toBe(false)
})

test('accepts a workspace that is itself reached through a link', async () => {
  const { listed, assets, workspace } = prepare(['AGENTS.md', 'docs/NOTES.md'])
  mkdirSync(join(assets, 'docs'))
  writeFileSync(join(assets, 'AGENTS.md'), '')
  writeFileSync(join(assets, 'docs/NOTES.md'), '')
  const link = join(temporaryDirectory(), 'link')
  symlinkSync(workspace, link)
  expect((await seedWorkspace(listed, link)).written).toEqual(['AGENTS.md', 'docs/NOTES.md'])
})

test('copies nothing into a folder that has replaced the workspace', async () => {
  const { listed, assets, workspace } = prepare(['AGENTS.md'])
  writeFileSync(join(assets, 'AGENTS.md'), 'be kind')
  const folder = folderAt(workspace)
  renameSync(workspace, join(temporaryDirectory(), 'aside'))
  const outside = temporaryDirectory()
  symlinkSync(outside, workspace)
  await expect(seedWorkspace(listed, workspace, folder)).rejects.toThrow(`${folder.path} is not a folder`)
  rmSync(workspace)
  mkdirSync(workspace)
  await expect(seedWorkspace(listed, workspace, folder)).rejects.toThrow('Another folder has replaced')
  expect([...readdirSync(outside), ...readdirSync(workspace)]).toEqual([])
})

test('names a missing file and the folder to put it into', async () => {
  const { listed, assets, workspace } = prepare(['AGENTS.md'])
  await expect(seedWorkspace(listed, workspace)).rejects.toThrow(`which is missing. Put it into ${assets}.`)
})

test('an asset that cannot be read is an error, although a shipped one has its name', async () => {
  const { listed, assets, workspace } = prepare(['skills/one.md'])
  const own = temporaryDirectory()
  writeFileSync(join(own, 'skills'), 'not a folder')
  mkdirSync(join(assets, 'skills'))
  writeFileSync(join(assets, 'skills/one.md'), 'shipped')
  const both = { ...listed, assetDirectories: [own, assets] }
  await expect(seedWorkspace(both, workspace)).rejects.toThrow(`${own}/skills/one.md cannot be read: not a directory.`)
})

function prepare(include_files: readonly (string | { source: string; target: string })[]) {
  const [assets, workspace] = [temporaryDirectory(), temporaryDirectory()]
  const template = templateSchema.parse({ name: 'any', include_files })
  const listed: ListedTemplate = {
    template,
    source: 'shipped',
    isSandboxShipped: true,
    available: true,
    assetDirectories: [assets],
  }
  return { listed, assets, workspace }
}
