/** The lines that a program prints, as text: a line that is written over, such as a progress bar, is what it was last. */
import { createSequenceReader } from './sequences.ts'

export interface LineReader {
  /** The lines that are finished by now. */
  read(output: Uint8Array): readonly string[]
  /** What is left, if it is more than nothing. */
  end(): readonly string[]
}

export function createLineReader(): LineReader {
  const decoder = new TextDecoder()
  const sequences = createSequenceReader()
  let line = ''
  /** Behind a return the line goes on from its beginning, if it goes on. */
  let isReturned = false

  return {
    read(output) {
      const lines: string[] = []
      for (const piece of sequences.read(decoder.decode(output, { stream: true }))) {
        if (piece.is === 'text') {
          line = isReturned ? piece.text : line + piece.text
          isReturned = false
        } else if (piece.is === 'control') {
          if (piece.code === '\r') isReturned = true
          if (piece.code === '\t') line += '\t'
          if (piece.code === '\b') line = line.slice(0, -1)
          if (piece.code === '\n') {
            lines.push(line)
            line = ''
            isReturned = false
          }
        }
      }
      return lines
    },
    end: () => (line === '' ? [] : [line]),
  }
}
