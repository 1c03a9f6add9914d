import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { gitMounts, worktreeOf } from './git-directory.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'git-directory-')))
afterAll(() => rmSync(home, { recursive: true }))
const work = join(home, 'tree')
const git = join(home, 'repository/.git')
const directory = join(git, 'worktrees/tree')
mkdirSync(work)
mkdirSync(directory, { recursive: true })
const shown = (workspace: string) =>
  gitMounts(workspace).map(({ is, path }) => `${is} ${path.replace(home, '').replace('/repository/.git', '')}`)

test('a worktree shows the git directory of its repository, unless the repository does not name the worktree', () => {
  writeFileSync(join(work, '.git'), `gitdir: ${directory}\n`)
  expect(worktreeOf(work)).toBeUndefined()
  writeFileSync(join(directory, 'gitdir'), `${join(work, '.git')}\n`)
  expect(worktreeOf(work)).toEqual({ repository: git, directory })
  writeFileSync(join(work, '.git'), `gitdir: ${home}\n`)
  expect(worktreeOf(work)).toBeUndefined()
  writeFileSync(join(work, '.git'), `gitdir: ${directory}\n`)
})

test('in a worktree, settings and other worktrees are read-only, also settings that are not there yet', () => {
  writeFileSync(join(directory, 'commondir'), '../..\n')
  mkdirSync(join(git, 'worktrees/other'))
  writeFileSync(join(git, 'config'), '[extensions]\n\tworktreeConfig = true\n')
  const common = ['write ', 'read /config', 'read /config.worktree', 'empty /hooks']
  const own = ['', '/commondir', '/gitdir', '/config.worktree'].map(
    (name) => `${name === '' ? 'write' : 'read'} /worktrees/tree${name}`,
  )
  expect(shown(work)).toEqual(['read /tree/.git', ...common, 'read /worktrees', ...own])
  expect(shown(join(home, 'repository'))).toEqual([
    ...common,
    'write /worktrees',
    'write /worktrees/other',
    'read /worktrees/other/config.worktree',
    ...own,
  ])
})

test('a git directory in which an agent has left a link, or another place for settings, is not used', () => {
  const attempt = (prepare: (git: string) => void) => {
    const workspace = mkdtempSync(join(home, 'prepared-'))
    mkdirSync(join(workspace, '.git'))
    prepare(join(workspace, '.git'))
    return () => gitMounts(workspace)
  }
  expect(attempt(() => {})).not.toThrow()
  for (const name of ['config', 'config.worktree', 'hooks', 'modules', 'worktrees']) {
    expect(attempt((path) => symlinkSync('../../secret', join(path, name)))).toThrow('an agent may have made it')
  }
  expect(attempt((path) => writeFileSync(join(path, 'commondir'), '../evil'))).toThrow('an agent may have made it')
})
