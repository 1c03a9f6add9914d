/** The full count of what `test/upstreams` proves in small. */
import { test } from 'vitest'
import { type Ending, expectNothingLeft, wearOut } from '../upstreams/wear-out.ts'

const times = Number(process.env['SOAK_RESTARTS'] ?? 1_000)
const endings: readonly Ending[] = [
  'programs are killed',
  'programs are taken away',
  'addresses die',
  'addresses are taken away',
]

test.each(endings)(`%s ${times} times, and leave nothing behind`, { timeout: 3_600_000 }, async (ending) => {
  const report = await wearOut({ ending, times })
  const { before, after, calls } = report
  console.log({ ending, times, before, after, calls })
  expectNothingLeft(report)
})
