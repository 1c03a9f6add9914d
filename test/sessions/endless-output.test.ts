import { expect, test } from 'vitest'
import { printWithoutEnd } from '../soak/endless-output.ts'

test('a program that prints endlessly does not use more memory when its viewers stop reading', async () => {
  const { grownMb } = await printWithoutEnd(200)
  // On a busy machine the garbage collector runs late. Queueing the unread output would take more than twice as much.
  expect(grownMb.hub).toBeLessThan(80)
  expect(grownMb.holder).toBeLessThan(80)
}, 600_000)
