import { expect, test } from 'vitest'
import { createRedactor } from '../base/redact.ts'
import { createOutputLog } from './output-log.ts'

test('keeps the last lines with their times, and counts all', () => {
  let heard = 0
  const log = createOutputLog(
    (text) => text,
    () => void heard++,
  )
  for (let line = 0; line < 300; line++) log.add(line === 299 ? 'hub' : 'program', `line ${line}`)
  expect(log.total).toBe(300)
  expect(heard).toBe(300)
  expect(log.lines()).toHaveLength(200)
  expect(log.lines()[0]).toEqual({ at: expect.any(String), from: 'program', text: 'line 100' })
  expect(log.lines().at(-1)).toMatchObject({ from: 'hub', text: 'line 299' })
})

test('hides a secret, also one of several lines', () => {
  const redactor = createRedactor()
  redactor.addSecret('hunter2-hunter2')
  redactor.addSecret('first-half-of-it\nsecond-half-of-it')
  const log = createOutputLog(
    (text) => redactor.text(text),
    () => {},
  )
  for (const text of ['the key hunter2-hunter2', 'first-half-of-it', 'second-half-of-it', 'ready']) {
    log.add('program', text)
  }
  const shown = log.lines().map(({ text }) => text)
  expect(shown[0]).toBe('the key [redacted]')
  expect(shown.join(' ')).not.toMatch(/half/)
  expect(shown.at(-1)).toBe('ready')
})
