/** The test of `test/upstreams` with full counts. */
import { test } from 'vitest'
import { expectNothingLeft, wearOut } from '../upstreams/wear-out.ts'

const times = Number(process.env['SOAK_RESTARTS'] ?? 1_000)

test(`upstreams that die or are unbound ${times} times leave nothing behind`, { timeout: 3_600_000 }, async () => {
  const report = await wearOut(times)
  const { before, after, calls } = report
  console.log({ times, before, after, calls })
  expectNothingLeft(report)
})
