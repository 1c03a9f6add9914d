import { expect, test } from 'vitest'
import { printRandomBytes, runShortCommands } from '../soak/session-output.ts'

test('many short commands at once do not lose a byte', { timeout: 600_000 }, async () => {
  expect(await runShortCommands({ rounds: 1, atOnce: 10 })).toEqual({ commands: 10, bytesLost: 0 })
})

test('the journal and a viewer get exactly the random bytes that a program prints', { timeout: 600_000 }, async () => {
  expect(await printRandomBytes(4)).toEqual({ megabytes: 4, isJournalWhole: true, isViewerWhole: true })
})
