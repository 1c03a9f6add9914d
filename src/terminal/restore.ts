/** Draws the screen of a terminal anew from what is on disk: the last snapshot, then the journal since. */
import { join } from 'node:path'
import type { JournalEntry } from './holder/journal-writer.ts'
import type { Exit, Size } from './holder/frames.ts'
import { journalBounds, readIndex, readJournal } from './journal.ts'
import type { Screen } from './screen.ts'

const sliceBytes = 256 * 1024

export interface Resize extends Size {
  readonly offset: number
}

export interface Past {
  readonly sizes: readonly Resize[]
  readonly exit: Exit | undefined
}

export function readPast(directory: string): Past {
  const entries = readIndex(join(directory, 'journal'))
  return {
    sizes: entries.filter((entry) => entry.is === 'resize'),
    exit: entries.findLast((entry): entry is Extract<JournalEntry, { is: 'exit' }> => entry.is === 'exit'),
  }
}

/** Feeds the screen from its own offset to the end of the journal, with each size where it began to hold. */
export async function replay(directory: string, screen: Screen, sizes: readonly Resize[]): Promise<void> {
  const journal = join(directory, 'journal')
  const coming = sizes.filter(({ offset }) => offset >= screen.offset)
  while (screen.offset < journalBounds(journal).offset || coming.length > 0) {
    const resize = coming[0]
    if (resize && resize.offset <= screen.offset) {
      await screen.settled()
      screen.resize(resize)
      coming.shift()
      continue
    }
    const { offset, bytes } = readJournal(journal, screen.offset, sliceBytes)
    if (bytes.length === 0) break
    screen.skipTo(offset)
    const end = Math.min(offset + bytes.length, resize?.offset ?? Number.POSITIVE_INFINITY)
    await screen.feed(bytes.subarray(0, end - offset))
  }
  await screen.settled()
}
