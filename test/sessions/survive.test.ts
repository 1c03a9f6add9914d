import { expect, test } from 'vitest'
import { survive } from '../soak/survival.ts'

test('sessions and jobs survive with every byte and every screen: a killed hub, a stopped one, and all of npm start', async () => {
  const report = await survive({
    sessions: 2,
    jobs: 4,
    endings: ['SIGKILL', 'SIGTERM', 'SIGKILL to the group of npm start'],
    bytesBetween: 20_000,
  })
  expect(report.screensCompared).toBe(8)
}, 600_000)
