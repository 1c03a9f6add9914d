import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { openPartialText, readPartialText, removePartialText } from './partial-text.ts'

const entry = { key: 'turn:1', type: 'text' as const, at: '2026-01-01T00:00:00.000Z', model: 'm', provider: 'p' }
const file = (directory: string) => join(directory, 'answer.jsonl')

test('added texts are read back, joined by key and without a line that was cut', () => {
  const directory = temporaryDirectory()
  using partial = openPartialText(directory)
  for (const text of ['one ', 'two']) partial.add({ ...entry, text })
  partial.add({ ...entry, key: 'turn:2', type: 'thinking', text: 'hm' })
  appendFileSync(file(directory), '{"key":"turn:3","te')
  expect(readPartialText(directory)).toMatchObject([
    { key: 'turn:1', text: 'one two' },
    { key: 'turn:2', type: 'thinking', text: 'hm' },
  ])
  partial.clear()
  expect(readPartialText(directory)).toEqual([])
})

test('a link in its place is neither read nor written, and is removed without its target', () => {
  const directory = temporaryDirectory()
  const target = join(directory, 'target')
  writeFileSync(target, `${JSON.stringify({ ...entry, text: 'forged' })}\n`)
  symlinkSync(target, file(directory))
  expect(readPartialText(directory)).toEqual([])
  using partial = openPartialText(directory)
  expect(() => partial.add({ ...entry, text: 'x' })).toThrow()
  removePartialText(directory)
  expect(readFileSync(target, 'utf8')).toContain('forged')
  expect(existsSync(file(directory))).toBe(false)
})

test('a pipe or a folder in its place blocks nothing', () => {
  const directory = temporaryDirectory()
  execFileSync('mkfifo', [file(directory)])
  expect(readPartialText(directory)).toEqual([])
  removePartialText(directory)
  mkdirSync(file(directory))
  expect(readPartialText(directory)).toEqual([])
  removePartialText(directory)
  expect(existsSync(file(directory))).toBe(false)
})
