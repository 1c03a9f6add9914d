import { expect, test } from 'vitest'
import { printWithoutEnd } from '../soak/endless-output.ts'

test('a program that prints without end grows no memory, though its viewers have stopped reading', async () => {
  const { grownMb } = await printWithoutEnd(200)
  expect(grownMb.hub).toBeLessThan(60)
  expect(grownMb.holder).toBeLessThan(40)
}, 600_000)
