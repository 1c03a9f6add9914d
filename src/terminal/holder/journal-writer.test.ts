import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAll } from '../../../test/fixtures/held-program.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { readIndexes, readJournal } from '../journal.ts'
import type { JournalWriter } from './journal-writer.ts'
import { journalLimits, openJournalWriter } from './journal-writer.ts'

const size = { cols: 80, rows: 24 }

function journalIn(directory: string, limits = { segmentBytes: 1000, maxBytes: 5000 }) {
  let time = 0
  const journal = openJournalWriter({ directory, limits, size, now: () => time })
  /** A second later, so that a full disk is tried again. */
  const append = (text: string) => {
    time += 1000
    return journal.append(Buffer.from(text))
  }
  return { journal, append }
}

/** In place of the folder a file: nothing can be made in it, whoever asks. */
function takeAway(directory: string): void {
  rmSync(directory, { recursive: true })
  writeFileSync(directory, '')
}

test('without a place for its files it goes on, and keeps what comes once there is one', () => {
  const directory = join(temporaryDirectory(), 'journal')
  writeFileSync(directory, '')
  const { journal, append } = journalIn(directory)
  expect(append('nobody keeps this')).toBe(false)
  journal.noteResize({ cols: 100, rows: 30 })
  rmSync(directory)
  expect(append('but this')).toBe(true)
  journal.close()
  expect(readJournal(directory, 0, 100)).toEqual({ offset: 17, bytes: Buffer.from('but this') })
  expect(readIndexes(directory, { kinds: ['begin', 'resize', 'lost'] })).toMatchObject([
    { is: 'begin', offset: 17, cols: 100, rows: 30 },
    { is: 'lost', offset: 0, bytes: 17 },
  ])
  expect(journal.lostBytes).toBe(17)
})

test('a segment that cannot be begun costs what comes meanwhile and no more', () => {
  const directory = join(temporaryDirectory(), 'journal')
  const { journal, append } = journalIn(directory)
  expect(append('x'.repeat(900))).toBe(true)
  takeAway(directory)
  // Goes to the open segment still, and is the last of it.
  expect(append('y'.repeat(200))).toBe(true)
  expect(append('lost')).toBe(false)
  expect(append('too')).toBe(false)
  rmSync(directory)
  expect(append('kept')).toBe(true)
  expect(journal.offset).toBe(1111)
  expect(readJournal(directory, 0, 100)).toEqual({ offset: 1107, bytes: Buffer.from('kept') })
  expect(readIndexes(directory, { kinds: ['lost'] })).toMatchObject([{ offset: 1100, bytes: 7 }])
})

test('a full disk is tried now and then, however much comes', () => {
  const directory = join(temporaryDirectory(), 'journal')
  writeFileSync(directory, '')
  let time = 0
  const journal = openJournalWriter({
    directory,
    limits: { segmentBytes: 1000, maxBytes: 5000 },
    size,
    now: () => time,
  })
  rmSync(directory)
  const tries = Array.from({ length: 40 }, () => {
    time += 10
    return journal.append(Buffer.from('x'))
  })
  expect(tries[0]).toBe(false)
  expect(tries.at(-1)).toBe(true)
})

test('index and segments together stay below the limit', () => {
  const directory = join(temporaryDirectory(), 'journal')
  const { journal, append } = journalIn(directory)
  // So little at a time that the index is the larger part.
  for (let line = 0; line < 500; line++) append(`${line}\r\n`)
  const { firstOffset, offset }: JournalWriter = journal
  journal.close()
  expect(firstOffset).toBeGreaterThan(0)
  expect(readAll(directory).toString()).toContain('499\r\n')
  expect(readAll(directory).length).toBe(offset - firstOffset)
  expect(readdirSync(directory).length).toBeLessThanOrEqual(12)
})

test.each([16, 17, 40])('of a limit of %d MiB almost all is used, wherever the output stands', (mebibytes) => {
  const directory = join(temporaryDirectory(), 'journal')
  const limit = mebibytes * 1024 * 1024
  const journal = openJournalWriter({ directory, limits: journalLimits(limit), size, now: () => 0 })
  // As much as a terminal gives at a time, and then some.
  const piece = Buffer.alloc(65_521, 'x')
  const kept: number[] = []
  while (journal.offset < 1.5 * limit) {
    journal.append(piece)
    if (journal.offset > limit) kept.push(journal.offset - journal.firstOffset)
  }
  journal.close()
  expect(Math.min(...kept)).toBeGreaterThan((15 / 16) * limit - 2 * piece.length)
  expect(Math.max(...kept)).toBeLessThanOrEqual(limit + piece.length)
})
