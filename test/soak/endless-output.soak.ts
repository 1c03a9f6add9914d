import { expect, test } from 'vitest'
import { printWithoutEnd } from './endless-output.ts'

test('two gigabytes that nobody reads grow no memory', { timeout: 3_600_000 }, async () => {
  const report = await printWithoutEnd(2_000)
  console.log(report)
  expect(report.grownMb.hub).toBeLessThan(60)
  expect(report.grownMb.holder).toBeLessThan(40)
})
