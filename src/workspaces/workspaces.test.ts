/** The changes and the files of a workspace: with real repositories, also ones that an agent has manipulated. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRepository, git } from '../../test/fixtures/git-repository.ts'
import { toCall } from '../../test/worlds/terminal-toolbox.ts'
import type { Changes, WorkspaceEntry, WorkspaceFile } from '../api/changes.ts'
import { folderAt } from '../base/open-inside.ts'
import type { CallToolResult } from '../mcp/mcp.ts'
import { type WorkspaceSession, createWorkspaces } from './workspaces.ts'

/** A repository with one old commit, and a session that has worked in it for a minute. */
function begin({ prompt }: { readonly prompt?: string } = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'workspaces-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const path = createRepository(join(home, 'repository'))
  const write = (name: string, text: string | Buffer) => {
    mkdirSync(join(path, name, '..'), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  const commit = (message: string, at: string) => {
    git(path, 'add', '--all')
    execFileSync('git', ['-C', path, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', message], {
      env: { ...process.env, GIT_COMMITTER_DATE: at, GIT_AUTHOR_DATE: at },
    })
  }
  write('file', 'one\ntwo\nthree\n')
  write('src/old.ts', 'export const old = 1\n')
  git(path, 'update-ref', '-d', 'HEAD')
  commit('before the session', '2026-01-01T00:00:00Z')
  const session: WorkspaceSession = {
    id: 's1',
    hubId: 'h1',
    name: 'worker',
    workspacePath: path,
    workspaceFolder: folderAt(path),
    resumedFrom: undefined,
    createdAt: '2026-01-01T00:01:00.000Z',
  }
  const { providers = [] } = createWorkspaces({
    hubId: 'h1',
    environment: { forPrograms: async () => ({ PATH: process.env['PATH']!, HOME: home }) },
    sandboxes: { reach: async () => undefined },
    findSession: async () => session,
    threads: { lastPromptOf: async () => prompt },
  })
  const tools = providers.flatMap((provider) => provider.tools?.() ?? [])
  async function run(name: string, args: object): Promise<CallToolResult> {
    const tool = tools.find((each) => each.name === name)!
    return (await tool.run({ session: 'worker', ...args }, toCall())) as CallToolResult
  }
  return {
    home,
    path,
    write,
    commit,
    async call<Result>(name: string, args: object = {}): Promise<Result> {
      const { isError, structuredContent, content } = await run(name, args)
      if (isError) throw new Error(JSON.stringify(content))
      return structuredContent as Result
    },
    async failure(name: string, args: object): Promise<string> {
      const { isError, content } = await run(name, args)
      expect(isError).toBe(true)
      return JSON.stringify(content)
    },
  }
}

test.runIf(existsSync('/proc/self/io'))('many large files are not read to list them', async () => {
  const { call, path } = begin()
  for (let count = 0; count < 200; count++) {
    const name = join(path, `sparse-${count}`)
    writeFileSync(name, '')
    truncateSync(name, 16 * 1024 * 1024)
  }
  const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))![1])
  const before = bytesRead()
  const { files } = await call<Changes>('read_changes')
  expect(files).toHaveLength(200)
  expect(files.every(({ omitted }) => omitted === 'too-large')).toBe(true)
  expect(bytesRead() - before).toBeLessThan(100 * 1024 * 1024)
})

test('changes are relative to the branch point, whether they are committed, staged, untracked or gone', async () => {
  const { call, write, commit, path } = begin({ prompt: 'Add a parser for dates.\nUse no package.' })
  write('src/new.ts', 'export const fresh = 1\n')
  commit('of the agent', '2026-01-01T00:02:00Z')
  write('file', 'one\n2\nthree\n')
  write('staged', 'x\n')
  git(path, 'add', 'staged')
  write('.gitignore', 'ignored\n')
  write('ignored', 'x')
  write('picture', Buffer.from([1, 0, 2]))
  rmSync(join(path, 'src/old.ts'))
  const { files, base, branch, additions, deletions, suggested_message: message } = await call<Changes>('read_changes')
  expect(branch).toBe('main')
  expect(base?.subject).toBe('before the session')
  expect(files.map(({ path: each, status, omitted }) => [each, status, omitted])).toEqual([
    ['.gitignore', 'untracked', undefined],
    ['file', 'modified', undefined],
    ['picture', 'untracked', 'binary'],
    ['src/new.ts', 'added', undefined],
    ['src/old.ts', 'deleted', undefined],
    ['staged', 'added', undefined],
  ])
  expect(files[1]).toMatchObject({
    additions: 1,
    deletions: 1,
    diff: '--- a/file\n+++ b/file\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three',
  })
  expect([additions, deletions]).toEqual([4, 2])
  expect(message).toMatch(/^Add a parser for dates\n\n- Add .gitignore\n- Change file\n/)
  const one = await call<Changes>('read_changes', { path: 'file' })
  expect(one.files.map((file) => file.path)).toEqual(['file'])
})

test('a folder that a file has replaced counts as deleted', async () => {
  const { call, write, path } = begin()
  rmSync(join(path, 'src'), { recursive: true })
  write('src', 'a file\n')
  const { files } = await call<Changes>('read_changes')
  expect(files.map((file) => [file.path, file.status])).toEqual([
    ['src', 'untracked'],
    ['src/old.ts', 'deleted'],
  ])
})

test('commits of the main branch that the agent brought in are not its changes', async () => {
  const { call, write, commit, path } = begin()
  git(path, 'checkout', '-q', '-b', 'work')
  write('mine', 'x\n')
  commit('mine', '2026-01-01T00:02:00Z')
  git(path, 'checkout', '-q', 'main')
  write('theirs', 'x\n')
  commit('theirs', '2026-01-01T00:03:00Z')
  git(path, 'checkout', '-q', 'work')
  git(path, 'merge', '-q', '--no-edit', 'main')
  const { files, branch } = await call<Changes>('read_changes')
  expect(branch).toBe('work')
  expect(files.map((file) => file.path)).toEqual(['mine'])
})

test('a change is found even if it keeps the size and the time of the file, and a touched file is not a change', async () => {
  const { call, write, path } = begin()
  const { atime, mtime } = lstatSync(join(path, 'file'))
  write('file', 'one\nTWO\nthree\n')
  utimesSync(join(path, 'file'), atime, mtime)
  utimesSync(join(path, 'src/old.ts'), new Date(), new Date())
  const { files } = await call<Changes>('read_changes')
  expect(files.map((file) => file.path)).toEqual(['file'])
})

test('a folder without git has no changes, and says why', async () => {
  const { call, path } = begin()
  rmSync(join(path, '.git'), { recursive: true })
  const { files, reason } = await call<Changes>('read_changes')
  expect(files).toEqual([])
  expect(reason).toContain('not in a git repository')
})

test('no program that the repository names is run', async () => {
  const { call, write, path, home } = begin()
  const ran = join(home, 'ran')
  const program = join(home, 'program')
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`)
  chmodSync(program, 0o755)
  for (const [name, value] of [
    ['diff.evil.textconv', program],
    ['diff.evil.command', program],
    ['diff.external', program],
    ['filter.evil.clean', program],
    ['filter.evil.smudge', program],
    ['filter.evil.process', program],
    ['core.fsmonitor', program],
    ['core.hooksPath', home],
    ['core.pager', program],
  ] as const)
    git(path, 'config', name, value)
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout'])
    symlinkSync(program, join(home, hook))
  writeFileSync(join(path, '.git/info/attributes'), '* filter=evil diff=evil\n')
  write('.gitattributes', '* filter=evil diff=evil\n')
  write('file', 'one\nchanged\nthree\n')
  const { files } = await call<Changes>('read_changes')
  expect(files.map((file) => file.path)).toEqual(['.gitattributes', 'file'])
  await call('discard_changes', { path: 'file' })
  expect(readFileSync(join(path, 'file'), 'utf8')).toBe('one\ntwo\nthree\n')
  expect(existsSync(ran)).toBe(false)
})

test('nothing outside the workspace is listed, read, shown as a change or overwritten', async () => {
  const { call, failure, path, home } = begin()
  mkdirSync(join(home, 'secrets'))
  writeFileSync(join(home, 'secrets/old.ts'), 'secret')
  symlinkSync(join(home, 'secrets'), join(path, 'folder'))
  symlinkSync(join(home, 'secrets/old.ts'), join(path, 'link'))
  renameSync(join(path, 'src'), join(home, 'src'))
  symlinkSync(join(home, 'secrets'), join(path, 'src'))
  rmSync(join(path, 'file'))
  symlinkSync(join(home, 'secrets/old.ts'), join(path, 'file'))

  for (const wrong of ['../secrets/old.ts', '/etc/passwd', 'src/../../secrets/old.ts'])
    expect(await failure('read_file', { path: wrong })).toContain('not in the workspace')
  for (const wrong of ['link', 'folder/old.ts', 'src/old.ts', 'file'])
    expect(await failure('read_file', { path: wrong })).toContain('Links are not followed')
  expect(await failure('list_files', { path: 'folder' })).toContain('Links are not followed')
  expect(await failure('list_files', { path: '..' })).toContain('not in the workspace')
  const { entries } = await call<{ entries: WorkspaceEntry[] }>('list_files')
  expect(entries.find(({ name }) => name === 'link')).toEqual({ name: 'link', path: 'link', kind: 'link' })

  const changes = await call<Changes>('read_changes')
  expect(JSON.stringify(changes)).not.toContain('"secret')
  expect(changes.files.map(({ path: each, status }) => [each, status])).toEqual([
    ['file', 'modified'],
    ['folder', 'untracked'],
    ['link', 'untracked'],
    ['src', 'untracked'],
    ['src/old.ts', 'deleted'],
  ])
  // Discarding replaces a link, and never writes through one.
  await call('discard_changes', { path: 'file' })
  expect(readFileSync(join(path, 'file'), 'utf8')).toBe('one\ntwo\nthree\n')
  expect(await failure('discard_changes', { path: 'src/old.ts' })).toContain('cannot be restored')
  expect(await failure('discard_changes', { path: '../secrets/old.ts' })).toContain('not in the workspace')
  expect(readFileSync(join(home, 'secrets/old.ts'), 'utf8')).toBe('secret')
})

test('a tree whose names lead out of the workspace is not followed', async () => {
  const { call, path, home } = begin()
  writeFileSync(join(home, 'secret'), 'a secret')
  const make = (line: string) =>
    execFileSync('git', ['-C', path, 'mktree'], { input: `${line}\n`, encoding: 'utf8' }).trim()
  const blob = git(path, 'rev-parse', 'HEAD:file').trim()
  const outside = make(`100644 blob ${blob}\tsecret`)
  const own = make(`100644 blob ${blob}\tconfig`)
  const root = execFileSync('git', ['-C', path, 'mktree'], {
    input: `100644 blob ${blob}\tfile\n040000 tree ${outside}\t..\n040000 tree ${own}\t.git\n`,
    encoding: 'utf8',
  }).trim()
  const at = '2026-01-01T00:00:30Z'
  const hostile = execFileSync(
    'git',
    ['-C', path, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit-tree', root, '-m', 'hostile'],
    { encoding: 'utf8', env: { ...process.env, GIT_COMMITTER_DATE: at, GIT_AUTHOR_DATE: at } },
  ).trim()
  git(path, 'update-ref', 'HEAD', hostile)
  const changes = await call<Changes>('read_changes')
  expect(changes.base?.subject).toBe('hostile')
  expect(changes.files.map((file) => file.path)).toEqual(['src/old.ts'])
})

test('a workspace that was replaced by another folder is refused', async () => {
  const { failure, path, home } = begin()
  renameSync(path, join(home, 'moved'))
  symlinkSync('/etc', path)
  for (const tool of ['read_changes', 'list_files']) expect(await failure(tool, {})).toContain('no longer exists')
})

test('discarding restores files, folders, links and their modes, and removes what is new', async () => {
  const { call, failure, write, commit, path } = begin()
  writeFileSync(join(path, 'run'), '#!/bin/sh\n', { mode: 0o755 })
  symlinkSync('file', join(path, 'alias'))
  commit('more of before', '2026-01-01T00:00:30Z')
  rmSync(join(path, 'src'), { recursive: true })
  rmSync(join(path, 'alias'))
  chmodSync(join(path, 'run'), 0o644)
  write('extra', 'x')
  for (const each of ['src/old.ts', 'alias', 'run', 'extra']) await call('discard_changes', { path: each })
  expect(readFileSync(join(path, 'src/old.ts'), 'utf8')).toBe('export const old = 1\n')
  expect(readlinkSync(join(path, 'alias'))).toBe('file')
  expect(lstatSync(join(path, 'run')).mode & 0o111).toBe(0o111)
  expect(existsSync(join(path, 'extra'))).toBe(false)
  expect((await call<Changes>('read_changes')).files).toEqual([])
  expect(await failure('discard_changes', { path: 'file' })).toContain('has not changed')
})

test('a file is read by lines, and a long diff is left out until its path is named', async () => {
  const { call, write } = begin()
  write('many', Array.from({ length: 30 }, (_, line) => `line ${line + 1}\n`).join(''))
  const read = await call<WorkspaceFile>('read_file', { path: 'many', first_line: 10, lines: 2 })
  expect(read).toMatchObject({ text: 'line 10\nline 11', first_line: 10, total_lines: 30 })
  for (const name of ['large-a', 'large-b', 'large-c']) write(name, 'a long line of a file\n'.repeat(10_000))
  write('huge', 'x'.repeat(600_000))
  const { files } = await call<Changes>('read_changes')
  expect(files.map(({ path, omitted }) => [path, omitted])).toEqual([
    ['huge', 'too-large'],
    ['large-a', undefined],
    ['large-b', 'limit'],
    ['large-c', 'limit'],
    ['many', undefined],
  ])
  const [one] = (await call<Changes>('read_changes', { path: 'large-c' })).files
  expect(one?.diff).toContain('+a long line of a file')
})
