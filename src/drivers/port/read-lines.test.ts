import { appendFile, mkdtemp, open, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { readLines } from './read-lines.ts'

let path = ''
const opened = () => open(path)
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'signalbox-lines-')), 'file.jsonl')
})

test('complete lines are read, and an incomplete line once it is complete', async () => {
  expect(await readLines(opened, 0)).toBeUndefined()
  await writeFile(path, 'one\ntwo\nthr')
  expect(await readLines(opened, 0)).toEqual({ lines: ['one', 'two'], end: 8 })
  expect(await readLines(opened, 8)).toBeUndefined()
  await appendFile(path, 'ee\n')
  expect(await readLines(opened, 8)).toEqual({ lines: ['three'], end: 14 })
})

test('a line of several megabytes is read whole, also if a chunk ends within a character', async () => {
  const long = `a${'é'.repeat(2_000_000)}`
  await writeFile(path, `${long}\nnext\n`)
  const { lines, end } = (await readLines(opened, 0))!
  expect(lines[0] === long).toBe(true)
  expect([...lines.slice(1), ...((await readLines(opened, end))?.lines ?? [])]).toEqual(['next'])
})

test('a file without line endings does not fill the memory', async () => {
  await writeFile(path, '')
  await truncate(path, 8 * 1024 ** 3)
  const before = process.memoryUsage().rss
  const found = await readLines(opened, 0)
  expect(found).toEqual({ lines: [], end: 32 * 1024 * 1024 })
  expect(process.memoryUsage().rss - before).toBeLessThan(512 * 1024 * 1024)
})
