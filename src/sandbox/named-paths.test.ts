import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { namedMounts } from './named-paths.ts'
import { sharedGitDirectory } from './git-directory.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'named-')))
afterAll(() => rmSync(home, { recursive: true }))
const options = { home, env: { AGENT_HOME: join(home, 'agent') }, workspace: join(home, 'work') }
mkdirSync(join(home, 'work'))
mkdirSync(join(home, '.ssh'))
writeFileSync(join(home, '.ssh/key'), 'secret')

test('fills in the home and variables, makes directories to write, and leaves out what is missing', () => {
  const found = namedMounts(
    { write: ['~/made/', '~/missing', '$AGENT_HOME/', '$UNSET/x'], read: ['~/.ssh/key', '~/nothing'] },
    options,
  )
  expect(found.map(({ is, path }) => `${is} ${path}`)).toEqual([
    `write ${home}/made`,
    `write ${home}/agent`,
    `read ${home}/.ssh/key`,
  ])
})

test('follows a link that the person made, but none that an agent may have left in a writable directory', () => {
  symlinkSync(join(home, '.ssh'), join(home, 'keys'))
  mkdirSync(join(home, 'config'))
  symlinkSync(join(home, '.ssh/key'), join(home, 'config/settings.json'))
  expect(namedMounts({ write: [], read: ['~/keys'] }, options)).toContainEqual({
    is: 'read',
    path: join(home, 'keys'),
    source: join(home, '.ssh'),
  })
  const planted = namedMounts({ write: ['~/config/'], read: ['~/config/settings.json'] }, options)
  expect(planted.map(({ path }) => path)).toEqual([join(home, 'config')])
})

test('a worktree shows the git directory of its repository, unless only the workspace claims that', () => {
  const git = join(home, 'repository/.git')
  mkdirSync(join(git, 'worktrees/work'), { recursive: true })
  writeFileSync(join(home, 'work/.git'), `gitdir: ${git}/worktrees/work\n`)
  expect(sharedGitDirectory(join(home, 'work'))).toBeUndefined()
  writeFileSync(join(git, 'worktrees/work/gitdir'), `${join(home, 'work', '.git')}\n`)
  expect(sharedGitDirectory(join(home, 'work'))).toBe(git)
  writeFileSync(join(home, 'work/.git'), `gitdir: ${home}/.ssh\n`)
  expect(sharedGitDirectory(join(home, 'work'))).toBeUndefined()
})
