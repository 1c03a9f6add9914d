import { chmodSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { openDataDirectory } from './data-directory.ts'

test('refuses a directory with foreign files that other users can read, and does not change it', async () => {
  const path = directoryWith(['notes.txt', 'config.yaml'], 0o755)
  await expect(openDataDirectory(path)).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringMatching(/has not changed it.*SIGNALBOX_HOME.*chmod 700/),
  })
  expect(modeOf(path)).toBe(0o755)
})

test.each([
  ['is empty', []],
  ['holds only files that people put there', ['config.yaml', 'templates', 'state.key']],
  ['was a data directory before', ['notes.txt', 'hub.key']],
])('makes a directory that %s private', async (_, files) => {
  const path = directoryWith(files, 0o755)
  await using _directory = await openDataDirectory(path)
  expect(modeOf(path)).toBe(0o700)
})

test('accepts a directory with foreign files if it is already private', async () => {
  await using _directory = await openDataDirectory(directoryWith(['notes.txt'], 0o700))
})

test('returns the same key every time', async () => {
  await using directory = await openDataDirectory(directoryWith([], 0o700))
  const key = await directory.key('hub')
  expect(key).toHaveLength(32)
  expect(await directory.key('hub')).toEqual(key)
})

test('is new until a hub has made its key there', async () => {
  const path = directoryWith(['config.yaml'], 0o700)
  {
    await using directory = await openDataDirectory(path)
    expect(directory.isNew).toBe(true)
    await directory.key('hub')
  }
  await using again = await openDataDirectory(path)
  expect(again.isNew).toBe(false)
})

test.each([
  ['is damaged', (file: string) => writeFileSync(file, 'short'), /has 5 bytes, but must have 32/],
  ['cannot be read', (file: string) => symlinkSync(file, file), /cannot read .*hub.key: too many symbolic links/],
])('does not replace a key that %s', async (_, spoil, message) => {
  await using directory = await openDataDirectory(directoryWith([], 0o700))
  const file = join(directory.path, 'hub.key')
  spoil(file)
  const before = lstatSync(file).ino
  await expect(directory.key('hub')).rejects.toThrow(message)
  expect(lstatSync(file).ino).toBe(before)
})

function directoryWith(files: readonly string[], mode: number): string {
  const path = join(temporaryDirectory(), 'home')
  mkdirSync(path)
  for (const file of files) writeFileSync(join(path, file), '')
  chmodSync(path, mode)
  return path
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777
}
