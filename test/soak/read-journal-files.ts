/** Reads the bytes of a journal from disk, without any code of the hub. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Throws if there is a gap between two segments. */
export function readJournalFiles(folder: string): Buffer {
  const names = readdirSync(folder).filter((name) => name.endsWith('.raw'))
  const pieces: Buffer[] = []
  let end = 0
  for (const name of names.toSorted()) {
    if (Number.parseInt(name, 10) !== end) throw new Error(`${name} does not begin at ${end}`)
    const piece = readFileSync(join(folder, name))
    pieces.push(piece)
    end += piece.length
  }
  return Buffer.concat(pieces)
}
