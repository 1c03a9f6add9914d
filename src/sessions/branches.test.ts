import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { createBranches, readBranch } from './branches.ts'

const git = (directory: string, ...args: readonly string[]) =>
  execFileSync('git', ['-C', directory, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    stdio: 'ignore',
  })

function createRepository(): string {
  const directory = temporaryDirectory()
  git(directory, 'init', '-b', 'fix/retry')
  git(directory, 'commit', '--allow-empty', '-m', 'first')
  return directory
}

test('reads the branch of a folder, of a folder below it, and of a worktree', async () => {
  const directory = createRepository()
  mkdirSync(join(directory, 'src'))
  git(directory, 'worktree', 'add', join(directory, 'tree'), '-b', 'other')
  expect(await readBranch(directory)).toBe('fix/retry')
  expect(await readBranch(join(directory, 'src'))).toBe('fix/retry')
  expect(await readBranch(join(directory, 'tree'))).toBe('other')
  git(directory, 'checkout', '--detach')
  expect(await readBranch(directory)).toBeUndefined()
})

test('a pipe in place of a git file does not block the read', async () => {
  const directory = createRepository()
  rmSync(join(directory, '.git/HEAD'))
  execFileSync('mkfifo', [join(directory, '.git/HEAD')])
  expect(await readBranch(directory)).toBeUndefined()
})

test('a caller gets the branch that was read last, and a notice when a read finds another one', async () => {
  const directory = createRepository()
  const branches = createBranches()
  await new Promise<void>((resolve) => {
    expect(branches.of(directory, { isLasting: false, onChange: resolve })).toBeUndefined()
  })
  expect(branches.of(directory, { isLasting: false, onChange() {} })).toBe('fix/retry')
})
