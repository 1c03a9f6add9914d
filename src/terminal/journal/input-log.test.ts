import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { createInputLog } from './input-log.ts'
import { lastInputSequence, readInputs } from './journal.ts'

function record(directory: string, count: number) {
  const log = createInputLog(directory, { segmentBytes: 1000, maxBytes: 5000 })
  for (let sequence = 1; sequence <= count; sequence++) {
    expect(log.record({ sequence, at: 0, offset: 0, bytes: 100, text: 'x'.repeat(100) })).toBe(true)
  }
  expect(log.sequence).toBe(count)
}

test('the oldest input is dropped at the limit, and the rest can be read from any sequence number', () => {
  const directory = temporaryDirectory()
  record(directory, 200)
  const size = readdirSync(directory).reduce((sum, name) => sum + readFileSync(join(directory, name)).length, 0)
  expect(size).toBeLessThanOrEqual(5200)
  const [first] = readInputs(directory, 0)
  expect(first?.sequence).toBeGreaterThan(150)
  expect([...readInputs(directory, 197)].map(({ sequence }) => sequence)).toEqual([198, 199, 200])
  expect([...readInputs(directory, 200)]).toEqual([])
  expect(lastInputSequence(directory)).toBe(200)
})

test('an incomplete line from a crash is skipped', () => {
  const directory = temporaryDirectory()
  record(directory, 2)
  appendFileSync(join(directory, readdirSync(directory)[0]!), '{"sequence":3,"text":"ha')
  expect([...readInputs(directory, 0)].map(({ sequence }) => sequence)).toEqual([1, 2])
  expect(lastInputSequence(directory)).toBe(2)
})

test('a missing input log has no input', () => {
  expect(lastInputSequence(join(temporaryDirectory(), 'missing'))).toBe(0)
  expect([...readInputs(join(temporaryDirectory(), 'missing'), 0)]).toEqual([])
})
