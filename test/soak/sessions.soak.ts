import { expect, test } from 'vitest'
import { median } from '../../bench/figures.ts'
import { survive, type Ending } from './survival.ts'

const twenty = { sessions: 20, jobs: 4, bytesBetween: 20_000 }

test('twenty sessions and three jobs survive a hub that is killed twenty times', async () => {
  const report = await survive({ ...twenty, endings: Array.from<Ending>({ length: 20 }).fill('SIGKILL') })
  console.log({ ...report, medianBackAfterMs: median(report.backAfterMs) })
  expect(report.screensCompared).toBe(20 * 21)
}, 3_600_000)

test(
  'sessions and jobs survive when the whole process group of npm start is killed',
  { timeout: 3_600_000 },
  async () => {
    const endings = Array.from<Ending>({ length: 3 }).fill('SIGKILL to the group of npm start')
    const report = await survive({ ...twenty, endings })
    console.log(report)
    expect(report.screensCompared).toBe(20 * 4)
  },
)

test('sessions and jobs survive hubs that are stopped and killed in turn', { timeout: 3_600_000 }, async () => {
  const report = await survive({ ...twenty, endings: ['SIGTERM', 'SIGKILL', 'SIGTERM', 'SIGKILL'] })
  console.log(report)
  expect(report.screensCompared).toBe(20 * 5)
})
