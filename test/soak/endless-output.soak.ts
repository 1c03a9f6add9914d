import { expect, test } from 'vitest'
import { printWithoutEnd } from './endless-output.ts'

test('the last two of four gigabytes of unread output do not grow memory', { timeout: 3_600_000 }, async () => {
  const report = await printWithoutEnd(4_000, 0.5)
  console.log(report)
  expect(report.grownMb.hub).toBeLessThan(40)
  expect(report.grownMb.holder).toBeLessThan(40)
})
