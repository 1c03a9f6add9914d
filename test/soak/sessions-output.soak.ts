import { expect, test } from 'vitest'
import { printRandomBytes, runShortCommands } from './session-output.ts'

test('twenty rounds of sixty short commands at once lose no byte', { timeout: 3_600_000 }, async () => {
  const report = await runShortCommands({ rounds: 20, atOnce: 60 })
  console.log(report)
  expect(report.bytesLost).toBe(0)
})

test('100 MB of random bytes are the same in the journal and at a viewer', { timeout: 3_600_000 }, async () => {
  const report = await printRandomBytes(100)
  console.log(report)
  expect(report).toMatchObject({ isJournalWhole: true, isViewerWhole: true })
})
