import { test } from 'vitest'
import { type Ending, expectNothingLeft, wearOut } from './wear-out.ts'

const endings: readonly Ending[] = ['programs are killed', 'addresses die']

test.each(endings)('%s fifty times and leave nothing behind', async (ending) => {
  expectNothingLeft(await wearOut({ ending, times: 50 }))
})
