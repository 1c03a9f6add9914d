import { join } from 'node:path'
import { journalBounds, readJournal } from '../terminal/journal.ts'
import type { Terminal } from '../terminal/terminal.ts'

export async function readOutput(terminal: Terminal, since: number, maxBytes: number) {
  const { offset, bytes } = readJournal(join(terminal.directory, 'journal'), since, Math.max(0, maxBytes))
  return { offset, bytes, droppedBytes: offset - since }
}
export function firstOffset(terminal: Terminal) {
  return journalBounds(join(terminal.directory, 'journal')).firstOffset
}
