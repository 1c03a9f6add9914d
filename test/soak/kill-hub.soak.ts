import { expect, test } from 'vitest'
import { killHubRepeatedly } from './kill-hub.ts'

test('a hub that is killed 200 times keeps everything it confirmed', { timeout: 3_600_000 }, async () => {
  const report = await killHubRepeatedly(200)
  console.log(report)
  expect(report.faults).toEqual([])
  expect(report.tokensIssued).toBeGreaterThan(report.kills)
})
