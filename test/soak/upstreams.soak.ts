/** The test of `test/upstreams` with full counts. */
import { test } from 'vitest'
import { type Ending, expectNothingLeft, wearOut } from '../upstreams/wear-out.ts'

const times = Number(process.env['SOAK_RESTARTS'] ?? 1_000)
const endings: readonly Ending[] = [
  'programs are killed',
  'programs are taken away',
  'addresses die',
  'addresses are taken away',
]

test.each(endings)(`nothing is left behind when %s ${times} times`, { timeout: 3_600_000 }, async (ending) => {
  const report = await wearOut({ ending, times })
  const { before, after, calls } = report
  console.log({ ending, times, before, after, calls })
  expectNothingLeft(report)
})
