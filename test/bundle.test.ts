/** Bundles of a checkout: when one is built again, and when an old one is removed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { currentBundle, removeUnused, runningCommandLines } from '../scripts/bundle.ts'
import { temporaryDirectory } from './fixtures/temporary-directory.ts'

const [used, unused, current] = ['0123456789abcdef', 'fedcba9876543210', 'aaaaaaaaaaaaaaaa'] as const

function bundlesOf(...names: readonly string[]): string {
  const bundles = temporaryDirectory()
  for (const name of names) {
    mkdirSync(join(bundles, name, 'holder'), { recursive: true })
    writeFileSync(join(bundles, name, 'holder/holder.mjs'), 'process.stdin.resume(); console.log("ready")')
  }
  return bundles
}

test('keeps a bundle that a living process was started from and removes the others', async () => {
  const bundles = bundlesOf(used, unused, current)
  const holder = spawn(process.execPath, [join(bundles, used, 'holder/holder.mjs')])
  onTestFinished(() => void holder.kill())
  await once(holder.stdout, 'data')
  removeUnused(bundles, current, runningCommandLines())
  expect(readdirSync(bundles).toSorted()).toEqual([used, current])
  holder.kill()
  await once(holder, 'exit')
  removeUnused(bundles, current, runningCommandLines())
  expect(readdirSync(bundles)).toEqual([current])
})

test('keeps all bundles if not every process can be seen', () => {
  const proc = temporaryDirectory()
  mkdirSync(join(proc, '4711'))
  expect(runningCommandLines(proc)).toBeUndefined()
  const bundles = bundlesOf(unused, current)
  removeUnused(bundles, current, runningCommandLines(proc))
  expect(readdirSync(bundles)).toHaveLength(2)
})

test('treats a process that cannot be inspected as one that may use a bundle', () => {
  const proc = temporaryDirectory()
  for (const pid of ['1', '4711']) mkdirSync(join(proc, pid))
  writeFileSync(join(proc, '1/cmdline'), 'init')
  // Reading a directory fails like reading a forbidden file, also for root.
  mkdirSync(join(proc, '4711/cmdline'))
  expect(runningCommandLines(proc)).toBeUndefined()
})

test('builds a bundle once, and again after a source has changed', async () => {
  const bundles = temporaryDirectory()
  const source = join(temporaryDirectory(), 'extra.ts')
  writeFileSync(source, 'console.log(1)')
  const options = { bundles, more: { extra: source }, sources: [source] }
  const first = await currentBundle(options)
  expect(readdirSync(first)).toEqual(expect.arrayContaining(['signalbox.mjs', 'holder', 'extra.mjs']))
  expect(await currentBundle(options)).toBe(first)
  writeFileSync(source, 'console.log(2)')
  const second = await currentBundle(options)
  expect(second).not.toBe(first)
  expect(readdirSync(bundles).toSorted()).toEqual([second.slice(bundles.length + 1), 'current'].toSorted())
})
