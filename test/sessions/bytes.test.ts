import { expect, test } from 'vitest'
import { printRandomBytes, runShortCommands } from '../soak/session-output.ts'

test('many short commands at once lose no byte', { timeout: 600_000 }, async () => {
  expect(await runShortCommands({ rounds: 1, atOnce: 20 })).toEqual({ commands: 20, bytesLost: 0 })
})

test('random bytes are the same in the journal and at a viewer', { timeout: 600_000 }, async () => {
  expect(await printRandomBytes(4)).toEqual({ megabytes: 4, isJournalWhole: true, isViewerWhole: true })
})
