import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { requires } from '../../../test/harness/requires.ts'
import { writeOutputFile } from './output-file.ts'

test('writes a file, and replaces it with the same mode', async () => {
  const folder = temporaryDirectory()
  const path = join(folder, 'a.cast')
  expect(await writeOutputFile(path, 'first')).toBe(path)
  chmodSync(path, 0o640)
  await writeOutputFile(path, Buffer.from('second'))
  expect(readFileSync(path, 'utf8')).toBe('second')
  expect(statSync(path).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder)).toEqual(['a.cast'])
})

test('writes the target of a symbolic link and keeps the link', async () => {
  const folder = temporaryDirectory()
  writeFileSync(join(folder, 'real'), 'old')
  symlinkSync('real', join(folder, 'link'))
  await writeOutputFile(join(folder, 'link'), 'new')
  expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('new')
  expect(readdirSync(folder)).toEqual(['link', 'real'])
})

test('names a file that cannot be written, and the reason', async () => {
  const folder = temporaryDirectory()
  mkdirSync(join(folder, 'taken'))
  await expect(writeOutputFile(join(folder, 'no/a.png'), '')).rejects.toThrow(
    `${folder}/no/a.png cannot be written: no such file or directory.`,
  )
  await expect(writeOutputFile(join(folder, 'taken'), '')).rejects.toThrow(
    `${folder}/taken cannot be written: illegal operation on a directory.`,
  )
})

const prlimit = requires('prlimit')

prlimit.describe('on a full disk', () => {
  test('leaves no part of a new file, and keeps an old file unchanged', () => {
    const folder = temporaryDirectory()
    const old = join(folder, 'old.cast')
    writeFileSync(old, 'as it was')
    const module = new URL('output-file.ts', import.meta.url).href
    const script = `
      const { writeOutputFile } = await import(${JSON.stringify(module)})
      for (const name of ['new.cast', 'old.cast']) {
        await writeOutputFile(name, 'x'.repeat(10_000)).catch((error) => console.log(error.message))
      }`
    const args = ['--fsize=4096:unlimited', process.execPath, '--input-type=module', '--eval', script]
    const printed = execFileSync(prlimit.path, args, { cwd: folder, encoding: 'utf8' })
    expect(printed).toBe(
      `${folder}/new.cast cannot be written: file too large.\n${folder}/old.cast cannot be written: file too large.\n`,
    )
    expect(existsSync(join(folder, 'new.cast'))).toBe(false)
    expect(readdirSync(folder)).toEqual(['old.cast'])
    expect(readFileSync(old, 'utf8')).toBe('as it was')
  })
})
