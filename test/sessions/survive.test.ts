import { expect, test } from 'vitest'
import { survive } from '../soak/survival.ts'

test('sessions and jobs outlive a killed hub and a stopped one: no byte is missing and every screen is right', async () => {
  const report = await survive({
    sessions: 4,
    jobs: 3,
    endings: ['SIGKILL', 'SIGTERM'],
    bytesBetween: 20_000,
  })
  expect(report.screensCompared).toBe(12)
}, 600_000)
