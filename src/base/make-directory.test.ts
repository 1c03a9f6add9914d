import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { makeDirectory } from './make-directory.ts'

test('makes a directory with its parents, and accepts one that exists', () => {
  const path = join(temporaryDirectory(), 'a', 'b')
  makeDirectory(path, 0o700)
  makeDirectory(path, 0o700)
  expect(statSync(path).mode & 0o777).toBe(0o700)
})

test.runIf(process.platform === 'linux')('fails where no directory can be made', () => {
  expect(() => makeDirectory('/proc/none/a')).toThrow()
})

test('fails below a file', () => {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, '')
  expect(() => makeDirectory(join(file, 'a'))).toThrow('ENOTDIR')
})
