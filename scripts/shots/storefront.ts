/** A small repository for the pictures of the page, and the work of an agent in it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const before = {
  'README.md': '# Storefront\n\nA shop.\n',
  'src/checkout/retry.ts': `import { attempts } from './attempts.ts'
import { gateway } from './gateway.ts'

export async function capture(order: Order) {
  const result = await gateway.charge(order)
  await attempts.increment(order.id)
  return settle(order, result)
}
`,
  'src/checkout/limits.ts': 'export const limits = { max: Infinity }\n',
  'docs/payments.md': '# Payments\n\nA failed payment is tried again.\n',
}

const after = {
  'src/checkout/retry.ts': `import { attempts } from './attempts.ts'
import { gateway } from './gateway.ts'

export async function capture(order: Order) {
  const attempt = await attempts.reserve(order.id, { max: 5 })
  if (!attempt) return giveUp(order)
  const result = await gateway.charge(order, attempt.key)
  return settle(order, result)
}
`,
  'src/checkout/limits.ts': 'export const limits = { max: 5 }\n',
  'test/checkout/retry.test.ts':
    "test('gives up after five attempts', async () => {\n  await expect(run(6)).rejects.toThrow()\n})\n",
}

export function makeStorefront(path: string): string {
  return commitFiles(path, before)
}

export function changeStorefront(worktree: string): void {
  write(worktree, after)
}

/** A repository with one commit. Returns its path. */
export function commitFiles(path: string, files: Readonly<Record<string, string>>): string {
  write(path, files)
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', path, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args])
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '-m', 'Limits of the importer')
  return path
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}
