import { expect, test } from 'vitest'
import type { NewEntry } from '../../api/thread.ts'
import {
  chooseCut,
  coveredPrompt,
  entriesAfter,
  readProgress,
  tokensOf,
  transcriptOf,
  writeProgress,
} from './compaction.ts'

const at = '2026-01-01T00:00:00.000Z'
const long = 'x'.repeat(700)
const prompt = (key: string): NewEntry => ({ type: 'prompt', key, at, text: `${key} ${long}` })
const call = (id: string): NewEntry => {
  return { type: 'tool-request', key: `call:${id}`, at, callId: id, name: 'tool', parameters: {} }
}
const result = (id: string): NewEntry => {
  return { type: 'tool-result', key: `result:${id}`, at, callId: id, name: 'tool', result: long }
}

test('a cut never separates a call from its result', () => {
  const entries = [prompt('p'), call('a'), call('b'), result('a'), result('b'), call('c'), result('c'), call('d')]
  for (let room = 0; room < 3_000; room += 50) expect([1, 5, 7]).toContain(chooseCut(entries, room))
})

test('a cut leaves as much as fits', () => {
  const entries = [prompt('1'), prompt('2'), prompt('3'), prompt('4')]
  const one = tokensOf([entries[0]!])
  expect(chooseCut(entries, one * 4)).toBe(2)
  expect(chooseCut(entries, 0)).toBe(3)
  expect(chooseCut([prompt('1')], 0)).toBe(0)
})

test('a summary is found again, and one of another release is ignored', () => {
  const summary = { through: '2', text: 'short' }
  expect(readProgress(writeProgress(summary))).toEqual(summary)
  for (const other of [undefined, '', '{"summary":1}', 'offset 7']) expect(readProgress(other)).toBeUndefined()
  const entries = [prompt('1'), prompt('2'), prompt('3')]
  expect(entriesAfter(entries, summary).map(({ key }) => key)).toEqual(['3'])
  expect(entriesAfter(entries, { ...summary, through: 'gone' })).toHaveLength(3)
})

test('the request of the turn stays when it is summarised', () => {
  const entries = [prompt('1'), call('a'), result('a'), call('b'), result('b')]
  expect(coveredPrompt(entries, entries.slice(3))).toMatch(/^1 /)
  expect(coveredPrompt(entries, entries)).toBeUndefined()
})

test('a transcript that is too long loses its beginning', () => {
  const text = transcriptOf([prompt('first'), prompt('last')], { through: '', text: 'before' }, 300)
  expect(text).toHaveLength(1_050)
  expect(text).toContain('last')
  expect(text).not.toContain('before')
})
