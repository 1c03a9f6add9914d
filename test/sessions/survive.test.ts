import { expect, test } from 'vitest'
import { survive } from '../soak/survival.ts'

test('sessions and jobs survive a killed and a stopped hub with every byte and every screen', async () => {
  const report = await survive({
    sessions: 4,
    jobs: 4,
    endings: ['SIGKILL', 'SIGTERM'],
    bytesBetween: 20_000,
  })
  expect(report.screensCompared).toBe(12)
}, 600_000)

test('sessions and jobs survive the whole process group of npm start', { timeout: 600_000 }, async () => {
  const report = await survive({
    sessions: 2,
    jobs: 4,
    endings: ['SIGKILL to the group of npm start'],
    bytesBetween: 20_000,
  })
  expect(report.screensCompared).toBe(4)
})
