import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import type { UpstreamTarget } from '../upstream/upstream.ts'
import { rootOf, rootsFor } from './session-roots.ts'

test('a program gets the directories in its arguments, also one that cannot be inspected, and else the workspace', async () => {
  const directory = temporaryDirectory()
  const [named, file, loop] = ['named', 'file', 'loop'].map((name) => join(directory, name)) as [string, string, string]
  mkdirSync(named)
  writeFileSync(file, '')
  symlinkSync(loop, loop)
  const workspace = rootOf('/srv/workspace')
  const rootsOf = (...args: string[]) =>
    rootsFor({ reach: { transport: 'stdio', args } } as unknown as UpstreamTarget, [workspace])
  expect(await rootsOf(named, file)).toEqual([rootOf(named)])
  expect(await rootsOf(loop)).toEqual([rootOf(loop)])
  expect(await rootsOf(file, join(directory, 'missing'), join(file, 'below'))).toEqual([workspace])
})
