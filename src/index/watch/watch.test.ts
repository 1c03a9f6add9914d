/** Watching: each change reaches the index without a call. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commitAll, createScratch, git, openIndexes, writeFiles } from '../../../test/fixtures/repository-index.ts'
import type { IndexStatus } from '../../api/repository.ts'
import { createFolderWatches } from './folder-watches.ts'

const scratch = createScratch()
const indexes = openIndexes(join(scratch.path, 'indexes'))
afterAll(async () => {
  await indexes[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

test('follows files, new folders, branches, and a root that goes away and comes back', async () => {
  const root = scratch.repository({ 'src/a.ts': 'export const a = 1\n', '.gitignore': 'node_modules/\n' })
  git(root, 'branch', 'other')
  const source = { id: 'watched', root }
  let last: IndexStatus | undefined
  using _watch = indexes.watch(source, (status) => (last = status))
  await expect.poll(() => last).toMatchObject({ is: 'ready', files: 2, branch: 'main' })

  writeFiles(root, { 'src/a.ts': 'export const zeppelin = 1\n' })
  await expect.poll(() => indexes.read(source, 'src/a.ts')).toMatchObject({ text: 'export const zeppelin = 1\n' })

  mkdirSync(join(root, 'src/deep/er'), { recursive: true })
  await expect.poll(() => last?.files).toBe(2)
  writeFiles(root, { 'src/deep/er/b.ts': 'export const b = 1\n' })
  await expect.poll(() => last?.files).toBe(3)
  // The folder is the same by name, but another.
  rmSync(join(root, 'src/deep'), { recursive: true })
  writeFiles(root, { 'src/deep/er/c.ts': 'export const c = 1\n' })
  await expect.poll(() => indexes.list(source, 'src/deep')).toEqual(['src/deep/er/c.ts'])
  writeFiles(root, { 'src/deep/er/d.ts': 'export const d = 1\n' })
  await expect.poll(() => indexes.list(source, 'src/deep')).toHaveLength(2)

  const commit = commitAll(root)
  await expect.poll(() => last?.commit).toBe(commit)
  git(root, 'switch', '--quiet', 'other')
  await expect.poll(() => last).toMatchObject({ branch: 'other', files: 2 })

  renameSync(root, `${root}-away`)
  await expect.poll(() => last).toMatchObject({ is: 'failed', files: 2 })
  renameSync(`${root}-away`, root)
  await expect.poll(() => last).toMatchObject({ is: 'ready' })
  writeFiles(root, { 'src/back.ts': 'export const back = 1\n' })
  await expect.poll(() => last?.files).toBe(3)
})

test('follows a branch, also one with a slash that is committed to elsewhere', async () => {
  const root = scratch.repository({ 'a.ts': 'export const a = 1\n' })
  git(root, 'branch', 'feature/one')
  const source = { id: 'branch', root, ref: 'feature/one' }
  let last: IndexStatus | undefined
  using _watch = indexes.watch(source, (status) => (last = status))
  await expect.poll(() => last).toMatchObject({ is: 'ready', files: 1 })
  writeFiles(root, { 'b.ts': 'export const b = 1\n' })
  const commit = commitAll(root)
  git(root, 'branch', '--force', 'feature/one', commit)
  await expect.poll(() => last).toMatchObject({ commit, files: 2 })
})

test('a large folder that is renamed all the time does not keep the hub busy', async () => {
  const root = join(scratch.path, 'renamed')
  mkdirSync(join(root, 'large'), { recursive: true })
  for (let count = 0; count < 10_000; count++) writeFileSync(join(root, 'large', `${count}`), '')
  const changed = new Set<string>()
  using watches = createFolderWatches((path) => changed.add(path))
  await watches.follow([root])
  const before = process.threadCpuUsage()
  for (let count = 0; count < 50; count++) {
    renameSync(join(root, 'large'), join(root, 'other'))
    renameSync(join(root, 'other'), join(root, 'large'))
  }
  writeFileSync(join(root, 'last'), '')
  await expect.poll(() => changed).toContain(join(root, 'last'))
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(150)
  await expect
    .poll(() => {
      writeFileSync(join(root, 'large', 'new'), `${changed.size}`)
      return changed
    })
    .toContain(join(root, 'large', 'new'))
})
