/** The engine from outside: what is indexed, how it follows changes, and what it says about itself. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { commitAll, createScratch, git, openIndexes, writeFiles } from '../../test/fixtures/repository-index.ts'
import { cpuMsOfChildren } from '../../test/fixtures/processes.ts'
import { cpuMs } from '../base/cpu-ms.ts'
import { folderAt } from '../base/open-inside.ts'
import { readTextInside } from './files/read-file.ts'
import type { IndexSource } from './index.ts'

const scratch = createScratch()
const indexes = openIndexes(join(scratch.path, 'indexes'))
afterAll(async () => {
  await indexes[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

let count = 0
function sourceOf(root: string, ref?: string): IndexSource {
  return { id: `r${++count}`, root, ref }
}

async function find(source: IndexSource, query: string): Promise<readonly string[]> {
  const hits = await indexes.search(source, { query, mode: 'lexical', limit: 10 })
  return hits.map(({ path, start_line, end_line }) => `${path}:${start_line}-${end_line}`)
}

const train = 'export class Train {\n  depart() {\n    return "platform nine"\n  }\n}\n'

test('indexes a repository, finds, reads and lists its files, and reports its status', async () => {
  const root = scratch.repository({ 'src/train.ts': train, 'README.md': '# Railway\n\nTrains and signals.\n' })
  const source = sourceOf(root)
  expect(await indexes.status(source)).toEqual({ is: 'empty', files: 0, chunks: 0, bytes: 0, skipped: 0 })
  const status = await indexes.refresh(source)
  const commit = git(root, 'rev-parse', 'HEAD')
  expect(status).toMatchObject({ is: 'ready', commit, branch: 'main', files: 2, skipped: 0, behind: 0 })
  expect(await indexes.status(source)).toMatchObject({ is: 'ready', commit, files: 2, bytes: train.length + 31 })
  expect(await indexes.search(source, { query: 'which platform?', mode: 'lexical', limit: 10 })).toMatchObject([
    { path: 'src/train.ts', start_line: 1, end_line: 5, symbol: 'Train', kind: 'class', text: train },
  ])
  expect(await indexes.read(source, 'src/train.ts', { start: 2, end: 3 })).toEqual({
    path: 'src/train.ts',
    start_line: 2,
    end_line: 3,
    total_lines: 5,
    text: '  depart() {\n    return "platform nine"\n',
  })
  expect(await indexes.read(source, 'src/boat.ts')).toBeUndefined()
  expect(await indexes.list(source)).toEqual(['README.md', 'src/train.ts'])
  expect(await indexes.list(source, 'src')).toEqual(['src/train.ts'])
})

test('follows changed, new, renamed and deleted files', async () => {
  const root = scratch.repository({
    'a.ts': train,
    'b.ts': 'export const boat = 1\n',
    'c.ts': 'export const car = 1\n',
  })
  const source = sourceOf(root)
  await indexes.refresh(source)
  writeFiles(root, { 'a.ts': 'export class Zeppelin {}\n', 'd.ts': 'export const dirigible = 1\n' })
  renameSync(join(root, 'b.ts'), join(root, 'ship.ts'))
  rmSync(join(root, 'c.ts'))
  expect(await indexes.status(source, { check: true })).toMatchObject({ is: 'ready', behind: 5 })
  expect(await indexes.refresh(source)).toMatchObject({ is: 'ready', files: 3 })
  expect(await indexes.status(source, { check: true })).toMatchObject({ behind: 0 })
  expect(await indexes.list(source)).toEqual(['a.ts', 'd.ts', 'ship.ts'])
  expect(await find(source, 'platform')).toEqual([])
  expect(await find(source, 'car')).toEqual([])
  expect(await find(source, 'zeppelin')).toEqual(['a.ts:1-1'])
  expect(await find(source, 'boat')).toEqual(['ship.ts:1-1'])
  expect(await find(source, 'dirigible')).toEqual(['d.ts:1-1'])
})

test('follows a switch of the branch', async () => {
  const root = scratch.repository({ 'a.ts': train })
  git(root, 'switch', '--quiet', '--create', 'boats')
  writeFiles(root, { 'boat.ts': 'export const boat = 1\n' })
  rmSync(join(root, 'a.ts'))
  const onBoats = commitAll(root)
  const source = sourceOf(root)
  expect(await indexes.refresh(source)).toMatchObject({ branch: 'boats', commit: onBoats })
  git(root, 'switch', '--quiet', 'main')
  expect(await indexes.refresh(source)).toMatchObject({ branch: 'main', commit: git(root, 'rev-parse', 'HEAD') })
  expect(await indexes.list(source)).toEqual(['a.ts'])
  expect(await find(source, 'platform')).toEqual(['a.ts:1-5'])
})

test('indexes a branch without looking at the working tree', async () => {
  const root = scratch.repository({ 'a.ts': train })
  git(root, 'branch', 'release')
  writeFiles(root, { 'a.ts': 'export const other = 1\n', 'b.ts': 'export const boat = 1\n' })
  const main = commitAll(root)
  const source = sourceOf(root, 'release')
  expect(await indexes.refresh(source)).toMatchObject({ is: 'ready', branch: 'release', files: 1 })
  expect(await find(source, 'platform')).toEqual(['a.ts:1-5'])
  git(root, 'branch', '--force', 'release', main)
  expect(await indexes.refresh(source)).toMatchObject({ commit: main, files: 2 })
  expect(await find(source, 'platform')).toEqual([])
  expect(await indexes.refresh(sourceOf(root, 'nowhere'))).toMatchObject({
    is: 'failed',
    last_error: expect.stringContaining('has no branch, tag or commit "nowhere"'),
  })
})

test('leaves out ignored, large, binary and unreadable files, and counts the last three', async () => {
  const root = scratch.repository({
    '.gitignore': 'secret.ts\nbuild/\n',
    'a.ts': train,
    'secret.ts': train,
    'build/a.ts': train,
    'picture.png': new Uint8Array([0x89, 0x50, 0, 1]),
    'latin.txt': new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x20, 0x74, 0x61, 0x62, 0x6c, 0x65]),
  })
  writeFileSync(join(root, 'huge.log'), '')
  truncateSync(join(root, 'huge.log'), 50 * 1024 * 1024)
  const source = sourceOf(root)
  expect(await indexes.refresh(source)).toMatchObject({ is: 'ready', files: 3, skipped: 2 })
  expect(await indexes.list(source)).toEqual(['.gitignore', 'a.ts', 'latin.txt'])
  expect(await indexes.read(source, 'latin.txt')).toMatchObject({ text: 'caf\uFFFD table' })
})

test('indexes a folder that is not a repository, with the same rules for ignored files', async () => {
  const root = scratch.folder({
    '.gitignore': '*.log\n',
    'a.ts': train,
    'a.log': 'noise',
    'deep/b.ts': 'export const b = 1\n',
  })
  const source = sourceOf(root)
  expect(await indexes.refresh(source)).toMatchObject({ is: 'ready', files: 3 })
  expect((await indexes.refresh(source)).commit).toBeUndefined()
  expect(await indexes.list(source)).toEqual(['.gitignore', 'a.ts', 'deep/b.ts'])
})

test('indexes what is left where a file has replaced a folder', async () => {
  const root = scratch.repository({ 'a.ts': train, 'deep/b.ts': 'export const b = 1\n' })
  const source = sourceOf(root)
  await indexes.refresh(source)
  rmSync(join(root, 'deep'), { recursive: true })
  writeFileSync(join(root, 'deep'), 'a file\n')
  expect(await indexes.refresh(source)).toMatchObject({ is: 'ready' })
  expect(await indexes.list(source)).toEqual(['a.ts', 'deep'])
})

test('indexes hundreds of files that are touched at once, also those with the same content as before', async () => {
  const numbered = (word: string) =>
    Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`src/n${n}.ts`, `export const ${word}${n} = ${n}\n`]))
  const root = scratch.repository(numbered('first'))
  const source = sourceOf(root)
  const [indexer, own] = [cpuMsOfChildren(), cpuMs()]
  expect(await indexes.refresh(source)).toMatchObject({ files: 300 })
  // The work is done in another process, so the thread of the hub stays free.
  expect(cpuMs() - own).toBeLessThan((cpuMsOfChildren() - indexer) / 3)
  writeFiles(root, { ...numbered('first'), 'src/n7.ts': 'export const zeppelin = 7\n' })
  const progress: { done: number; total: number }[] = []
  expect(await indexes.refresh(source, { onProgress: (each) => progress.push(each) })).toMatchObject({
    is: 'ready',
    files: 300,
    chunks: 300,
  })
  expect(progress.at(-1)).toEqual({ done: 300, total: 300 })
  expect(await find(source, 'zeppelin')).toEqual(['src/n7.ts:1-1'])
  expect(await indexes.search(source, { query: 'first7\\b', mode: 'regex', limit: 10 })).toEqual([])
})

test('reads nothing outside the root, however links point', async () => {
  const outside = scratch.folder({ 'secret.ts': 'export const outsideSecret = 1\n' })
  const root = scratch.repository({ 'a.ts': train, 'real/b.ts': 'export const inside = 1\n' })
  symlinkSync(join(outside, 'secret.ts'), join(root, 'link.ts'))
  symlinkSync(outside, join(root, 'folder'))
  symlinkSync('..', join(root, 'real/loop'))
  symlinkSync('me', join(root, 'me'))
  execFileSync('mkfifo', [join(root, 'pipe.ts')])
  commitAll(root)
  const source = sourceOf(root)
  expect(await indexes.refresh(source)).toMatchObject({ is: 'ready', files: 2, skipped: 0 })
  expect(await indexes.list(source)).toEqual(['a.ts', 'real/b.ts'])
  // git still lists real/b.ts, and now a link is on the way to it.
  renameSync(join(root, 'real'), join(root, 'moved'))
  writeFiles(outside, { 'b.ts': 'export const outsideSecret = 2\n' })
  symlinkSync(outside, join(root, 'real'))
  await indexes.refresh(source)
  expect(await indexes.list(source)).not.toContain('real/b.ts')
  expect(await find(source, 'outsideSecret')).toEqual([])
  for (const path of ['../root1/a.ts', '/etc/passwd', 'folder/secret.ts', 'real/loop/a.ts']) {
    expect(await indexes.read(source, path)).toBeUndefined()
  }
})

test('a submodule behind a link is not read, and neither is a root that a link has replaced', async () => {
  const outside = scratch.repository({ 'lib.ts': 'export const outsideLibrary = 1\n' })
  const root = scratch.repository({ 'a.ts': train })
  for (const path of ['one', 'folder/two']) git(root, 'submodule', '--quiet', 'add', outside, path)
  commitAll(root)
  rmSync(join(root, 'one'), { recursive: true })
  symlinkSync(outside, join(root, 'one'))
  rmSync(join(root, 'folder'), { recursive: true })
  const elsewhere = scratch.folder({})
  git(elsewhere, 'clone', '--quiet', outside, 'two')
  symlinkSync(elsewhere, join(root, 'folder'))
  const sources = [sourceOf(root), sourceOf(root, 'main')]
  for (const source of sources) {
    expect(await indexes.refresh(source)).toMatchObject({ is: 'ready', files: 2, skipped: 0 })
    expect(await indexes.list(source)).toEqual(['.gitmodules', 'a.ts'])
  }

  renameSync(root, `${root}-away`)
  symlinkSync(outside, root)
  const failed = { is: 'failed', last_error: expect.stringContaining('is now a link to another one') }
  for (const source of sources) {
    expect(await indexes.refresh(source)).toMatchObject(failed)
    expect(await find(source, 'outsideLibrary')).toEqual([])
  }
})

test('a folder that is replaced by a link after it was listed is not read', () => {
  const outside = scratch.folder({ 'b.ts': 'outside' })
  const root = scratch.folder({ 'real/b.ts': 'inside' })
  const folder = folderAt(root)
  expect(readTextInside(folder, 'real/b.ts').content).toEqual({ text: 'inside' })
  rmSync(join(root, 'real'), { recursive: true })
  symlinkSync(outside, join(root, 'real'))
  expect(readTextInside(folder, 'real/b.ts').content).toEqual({ skipped: 'unreadable' })
  expect(readTextInside(folder, '../escape.ts').content).toEqual({ skipped: 'unreadable' })
})

test('starts no program that the configuration of a repository names', async () => {
  const root = scratch.repository({ 'a.ts': train, '.gitattributes': '*.ts filter=evil diff=evil\n' })
  const proof = join(scratch.path, 'ran')
  const program = join(root, 'evil.sh')
  writeFileSync(program, `#!/bin/sh\ntouch ${proof}\ncat\n`, { mode: 0o755 })
  for (const name of [
    'core.fsmonitor',
    'filter.evil.clean',
    'filter.evil.smudge',
    'diff.evil.textconv',
    'core.pager',
  ]) {
    git(root, 'config', name, program)
  }
  git(root, 'config', 'core.hooksPath', root)
  const [tree, branch] = [sourceOf(root), sourceOf(root, 'main')]
  writeFiles(root, { 'a.ts': `${train}// changed\n` })
  expect(await indexes.refresh(tree)).toMatchObject({ is: 'ready' })
  expect(await indexes.refresh(branch)).toMatchObject({ is: 'ready' })
  await vi.waitFor(async () => {
    // A file that has only just changed is read again, and until then it counts as changed.
    await indexes.refresh(tree)
    expect(await indexes.status(tree, { check: true })).toMatchObject({ behind: 0 })
  }, 30_000)
  expect(existsSync(proof)).toBe(false)
})

test('follows submodules and other clones below the root, with their own ignored files', async () => {
  const library = scratch.repository({ 'lib.ts': 'export const libraryWord = 1\n', '.gitignore': '*.log\n' })
  const root = scratch.repository({ 'a.ts': train })
  git(root, 'submodule', '--quiet', 'add', library, 'vendor/library')
  commitAll(root)
  writeFiles(root, { 'vendor/library/noise.log': 'noise', 'vendor/library/new.ts': 'export const fresh = 1\n' })
  const source = sourceOf(root)
  await indexes.refresh(source)
  expect(await indexes.list(source, 'vendor')).toEqual([
    'vendor/library/.gitignore',
    'vendor/library/lib.ts',
    'vendor/library/new.ts',
  ])
  const atCommit = sourceOf(root, 'main')
  await indexes.refresh(atCommit)
  expect(await indexes.list(atCommit, 'vendor')).toEqual(['vendor/library/.gitignore', 'vendor/library/lib.ts'])
  expect((await find(atCommit, 'libraryWord'))[0]).toBe('vendor/library/lib.ts:1-1')
  // A worktree of the same repository would only repeat it.
  git(root, 'worktree', 'add', '--quiet', 'trees/other', '-b', 'other')
  await indexes.refresh(source)
  expect(await indexes.list(source, 'trees')).toEqual([])
})

test('a submodule that git cannot read leaves the rest indexed, and the status names it', async () => {
  const library = scratch.repository({ 'lib.ts': 'export const libraryWord = 1\n' })
  const root = scratch.repository({ 'a.ts': train })
  const broken = {
    index: 'no index',
    config: '[no config',
    HEAD: 'no ref',
    missing: 'gitdir: ../nowhere\n',
    file: 'x\n',
  }
  for (const name of [...Object.keys(broken), 'sound'])
    git(root, 'submodule', '--quiet', 'add', library, `parts/${name}`)
  git(root, 'clone', '--quiet', library, 'parts/clone')
  git(root, 'config', 'advice.addEmbeddedRepo', 'false')
  commitAll(root)
  const [tree, branch] = [sourceOf(root), sourceOf(root, 'main')]
  expect(await indexes.refresh(tree)).not.toHaveProperty('unread')
  await indexes.refresh(branch)
  for (const [name, text] of Object.entries(broken)) {
    const isInside = ['index', 'config', 'HEAD'].includes(name)
    const file = isInside ? join(root, `.git/modules/parts/${name}`, name) : join(root, 'parts', name, '.git')
    writeFileSync(file, text)
  }
  writeFiles(root, { 'parts/clone/.git/HEAD': 'no ref' })
  writeFiles(root, { 'b.ts': 'export const boat = 1\n', 'parts/sound/new.ts': 'export const fresh = 1\n' })
  commitAll(join(root, 'parts/sound'))
  const status = await indexes.refresh(tree)
  expect(status).toMatchObject({ is: 'ready', unread: expect.any(Array) })
  const unread = status.unread!.map(({ path }) => path).toSorted()
  expect(unread).toEqual([...Object.keys(broken), 'clone'].map((name) => `parts/${name}`).toSorted())
  for (const { reason } of status.unread!) expect(reason).toMatch(/\S/)
  expect(await indexes.status(tree)).toMatchObject({ unread: status.unread })
  const paths = await indexes.list(tree)
  expect(paths).toEqual(expect.arrayContaining(['a.ts', 'b.ts', 'parts/sound/lib.ts', 'parts/sound/new.ts']))
  // What was indexed of a part stays, because the hub does not know that it is gone.
  expect(paths).toContain('parts/index/lib.ts')

  const atCommit = await indexes.refresh(branch)
  expect(atCommit).toMatchObject({ is: 'ready' })
  expect(atCommit.unread!.map(({ path }) => path)).toEqual(expect.arrayContaining(['parts/config', 'parts/missing']))
  expect(await indexes.list(branch)).toEqual(
    expect.arrayContaining(['a.ts', 'parts/sound/lib.ts', 'parts/missing/lib.ts']),
  )

  for (const name of [...Object.keys(broken), 'clone']) rmSync(join(root, 'parts', name), { recursive: true })
  const repaired = await indexes.refresh(tree)
  expect(repaired).not.toHaveProperty('unread')
  expect(await indexes.list(tree, 'parts')).toEqual(['parts/sound/lib.ts', 'parts/sound/new.ts'])
})

test('a repository that disappears fails with a clear sentence, still answers, and recovers', async () => {
  const root = scratch.repository({ 'a.ts': train })
  const source = sourceOf(root)
  await indexes.refresh(source)
  renameSync(root, `${root}-away`)
  const failed = { is: 'failed', files: 1, last_error: expect.stringContaining(`The folder ${root} cannot be read`) }
  expect(await indexes.refresh(source)).toMatchObject(failed)
  expect(await indexes.status(source)).toMatchObject(failed)
  expect(await find(source, 'platform')).toEqual(['a.ts:1-5'])
  renameSync(`${root}-away`, root)
  expect(await indexes.refresh(source)).toMatchObject({ is: 'ready' })
  expect((await indexes.status(source)).last_error).toBeUndefined()
})

test('builds a damaged index again, and says so meanwhile', async () => {
  const root = scratch.repository({ 'a.ts': train })
  const source = sourceOf(root)
  await indexes.refresh(source)
  const file = join(scratch.path, 'indexes', `${source.id}.db`)
  writeFileSync(file, 'not a database, but long enough to look at. '.repeat(200))
  expect(await indexes.status(source)).toMatchObject({ is: 'failed', last_error: expect.stringContaining('damaged') })
  await expect(find(source, 'platform')).rejects.toThrow('The index was damaged and is built again.')
  await expect.poll(() => indexes.status(source)).toMatchObject({ is: 'ready', files: 1 })
  expect(await find(source, 'platform')).toEqual(['a.ts:1-5'])
})

test('builds an index again whose pages are wrong behind a sound first page', async () => {
  const root = scratch.repository(
    Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`n${n}.ts`, `export const word${n} = ${n}\n`.repeat(50)])),
  )
  const source = sourceOf(root)
  await indexes.refresh(source)
  // The file has all pages only after the log was written back.
  const file = join(scratch.path, 'indexes', `${source.id}.db`)
  const bytes = readFileSync(file)
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xff)]))
  writeFiles(root, { 'n1.ts': 'export const other = 1\n' })
  expect(await indexes.refresh(source)).toMatchObject({ is: 'ready', files: 50 })
  expect((await find(source, 'word7'))[0]).toMatch(/^n7.ts/)
})

test('ends a refresh when the last caller gives up, and goes on with the next', async () => {
  const root = scratch.repository({ 'a.ts': train })
  const source = sourceOf(root)
  const controller = new AbortController()
  const refresh = indexes.refresh(source, { signal: controller.signal })
  controller.abort(new Error('I have changed my mind.'))
  await expect(refresh).rejects.toThrow('I have changed my mind.')
  expect(await indexes.refresh(source)).toMatchObject({ is: 'ready', files: 1 })
})

test('removes an index, also while it is refreshed', async () => {
  const root = scratch.repository({ 'a.ts': train })
  const source = sourceOf(root)
  const refresh = indexes.refresh(source)
  await Promise.allSettled([indexes.remove(source.id), refresh])
  expect(await indexes.status(source)).toMatchObject({ is: 'empty', files: 0 })
  expect(existsSync(join(scratch.path, 'indexes', `${source.id}.db`))).toBe(false)
  await expect(indexes.remove('../other')).rejects.toThrow('cannot name an index')
})
