import { expect, test } from 'vitest'
import { killHubRepeatedly } from './soak/kill-hub.ts'

test('a hub that is killed while it serves calls keeps everything it confirmed', { timeout: 600_000 }, async () => {
  const report = await killHubRepeatedly(4)
  expect(report.faults).toEqual([])
  expect(report.tokensIssued).toBeGreaterThan(0)
  expect(report.tokensRevoked).toBeGreaterThan(0)
  expect(report.eventsSeen).toBeGreaterThan(0)
  expect(report.connectionsOpened).toBeGreaterThan(0)
})
