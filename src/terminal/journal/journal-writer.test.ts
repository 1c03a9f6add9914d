import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAll } from '../../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import type { JournalWriter } from './journal-writer.ts'
import { journalLimits, openJournalWriter } from './journal-writer.ts'
import { readIndexes, readJournal } from './journal.ts'

const size = { cols: 80, rows: 24 }

function journalIn(directory: string, limits = { segmentBytes: 1000, maxBytes: 5000 }) {
  let time = 0
  const journal = openJournalWriter({ directory, limits, size, now: () => time })
  /** Appends a second later, so that the writer tries a full disk again. */
  const append = (text: string) => {
    time += 1000
    return journal.append(Buffer.from(text))
  }
  return { journal, append }
}

/** Replaces the folder with a file, so that no user can create anything in it. */
function blockFolder(directory: string): void {
  rmSync(directory, { recursive: true })
  writeFileSync(directory, '')
}

test('without a folder it continues, and saves output once there is one', () => {
  const directory = join(temporaryDirectory(), 'journal')
  writeFileSync(directory, '')
  const { journal, append } = journalIn(directory)
  expect(append('nobody keeps this')).toBe(false)
  journal.recordResize({ cols: 100, rows: 30 })
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

test('a segment that cannot be created loses only the output until it can', () => {
  const directory = join(temporaryDirectory(), 'journal')
  const { journal, append } = journalIn(directory)
  expect(append('x'.repeat(900))).toBe(true)
  blockFolder(directory)
  // Still fits into the open segment, and completes it.
  expect(append('y'.repeat(200))).toBe(true)
  expect(append('lost')).toBe(false)
  expect(append('too')).toBe(false)
  rmSync(directory)
  expect(append('kept')).toBe(true)
  expect(journal.offset).toBe(1111)
  expect(readJournal(directory, 0, 100)).toEqual({ offset: 1107, bytes: Buffer.from('kept') })
  expect(readIndexes(directory, { kinds: ['lost'] })).toMatchObject([{ offset: 1100, bytes: 7 }])
})

test('a full disk is retried only now and then, even with much output', () => {
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

test('index files and segments together stay below the limit', () => {
  const directory = join(temporaryDirectory(), 'journal')
  const { journal, append } = journalIn(directory)
  // Small pieces, so that the index is larger than the output.
  for (let line = 0; line < 500; line++) append(`${line}\r\n`)
  const { firstOffset, offset }: JournalWriter = journal
  journal.close()
  expect(firstOffset).toBeGreaterThan(0)
  expect(readAll(directory).toString()).toContain('499\r\n')
  expect(readAll(directory).length).toBe(offset - firstOffset)
  expect(readdirSync(directory).length).toBeLessThanOrEqual(12)
})

test.each([16, 17, 40])('almost all of a limit of %d MiB is used at every offset', (mebibytes) => {
  const directory = join(temporaryDirectory(), 'journal')
  const limit = mebibytes * 1024 * 1024
  const journal = openJournalWriter({ directory, limits: journalLimits(limit), size, now: () => 0 })
  // About as much as a terminal delivers at once.
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

test('output that must be kept is never dropped, and the journal is full meanwhile', () => {
  const directory = join(temporaryDirectory(), 'journal')
  const journal = openJournalWriter({ directory, limits: { segmentBytes: 1000, maxBytes: 5000 }, size, keepFrom: 0 })
  const piece = Buffer.alloc(500, 'x')
  while (!journal.isFull) journal.append(piece)
  expect(journal.firstOffset).toBe(0)
  const { offset } = journal
  journal.keepFrom(400)
  expect(journal.isFull).toBe(true)
  journal.keepFrom(offset - 1)
  expect(journal.isFull).toBe(false)
  expect(journal.firstOffset).toBeGreaterThan(0)
  journal.append(piece)
  expect(readJournal(directory, offset - 1, 1)).toEqual({ offset: offset - 1, bytes: Buffer.from('x') })
  journal.close()
})

test('appendSome loses nothing on a full disk', () => {
  const directory = join(temporaryDirectory(), 'journal')
  writeFileSync(directory, '')
  let time = 0
  const limits = { segmentBytes: 1000, maxBytes: 5000 }
  const journal = openJournalWriter({ directory, limits, size, now: () => (time += 1000) })
  expect(journal.appendSome(Buffer.from('kept'))).toBe(0)
  rmSync(directory)
  expect(journal.appendSome(Buffer.from('kept'))).toBe(4)
  journal.close()
  expect(readJournal(directory, 0, 100)).toEqual({ offset: 0, bytes: Buffer.from('kept') })
  expect(readIndexes(directory, { kinds: ['lost'] })).toEqual([])
})
