import { expect, test } from 'vitest'
import { printWithoutEnd } from './endless-output.ts'

test('of four gigabytes that nobody reads, the second two grow no memory', { timeout: 3_600_000 }, async () => {
  const report = await printWithoutEnd(4_000, 0.5)
  console.log(report)
  expect(report.grownMb.hub).toBeLessThan(60)
  expect(report.grownMb.holder).toBeLessThan(40)
})
