/** The tests of src/terminal with full counts: no byte is lost, and no snapshot is wrong. */
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readJournal } from '../../src/terminal/journal/journal.ts'
import { connectTo, hold, readAll, untilExit } from '../worlds/held-program.ts'
import { checkSnapshots } from '../fixtures/snapshot-property.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'

const megabyte = 1024 * 1024
const minutes = 60_000

test('holders lose no byte of twenty rounds of sixty short commands at once', { timeout: 30 * minutes }, async () => {
  const expected = Buffer.from(`${Array.from({ length: 2000 }, (_, index) => `${index + 1}\r\n`).join('')}END\r\n`)
  for (let round = 0; round < 20; round++) {
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const held = await hold('seq 1 2000; echo END')
        await untilExit(held)
        return readAll(held.journal)
      }),
    )
    expect(outcomes.filter((bytes) => !bytes.equals(expected)).length, `in round ${round}`).toBe(0)
  }
})

test('the journal holds a hundred megabytes of random bytes unchanged', { timeout: 10 * minutes }, async () => {
  const source = randomBytes(100 * megabyte)
  const file = join(temporaryDirectory(), 'bytes')
  writeFileSync(file, source)
  const held = await hold(`stty raw -echo; cat ${file}`)
  await connectTo(held)
  const exit = await untilExit(held)
  expect(exit).toMatchObject({ code: 0, offset: source.length })
  expect(digestOfJournal(held.journal)).toBe(createHash('sha256').update(source).digest('hex'))
})

test('snapshots of five thousand generated states restore the same screens', { timeout: 30 * minutes }, async () => {
  expect(await checkSnapshots({ numRuns: 5_000 })).toBeGreaterThan(4_000)
})

function digestOfJournal(journal: string): string {
  const hash = createHash('sha256')
  for (let from = 0; ;) {
    const { offset, bytes } = readJournal(journal, from, megabyte)
    if (bytes.length === 0) return hash.digest('hex')
    hash.update(bytes)
    from = offset + bytes.length
  }
}
