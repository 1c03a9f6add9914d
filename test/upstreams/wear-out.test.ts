import { test } from 'vitest'
import { expectNothingLeft, wearOut } from './wear-out.ts'

test('upstreams that die or are unbound again and again leave nothing behind', async () => {
  expectNothingLeft(await wearOut(20))
})
