import { expect, test } from 'vitest'
import { printWithoutEnd } from '../soak/endless-output.ts'

test('a program that prints endlessly does not use more memory when its viewers stop reading', async () => {
  const { grownMb } = await printWithoutEnd(200)
  // Queueing the unread output would take 180 MB.
  expect(grownMb.hub).toBeLessThan(90)
  expect(grownMb.holder).toBeLessThan(80)
}, 600_000)
