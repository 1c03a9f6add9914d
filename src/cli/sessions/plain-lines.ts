/** Turns terminal output into lines of plain text. A line that is overwritten, such as a progress bar, keeps its last state. */
import { createSequenceParser } from '../attach/sequence-parser.ts'

export interface LineReader {
  /** Returns the lines that this output completes. */
  read(output: Uint8Array): readonly string[]
  /** Returns the last, incomplete line, unless it is empty. */
  end(): readonly string[]
}

export function createPlainLineReader(): LineReader {
  const decoder = new TextDecoder()
  const parser = createSequenceParser()
  let line = ''
  /** After a carriage return, the next text replaces the line. */
  let isReturned = false

  return {
    read(output) {
      const lines: string[] = []
      for (const piece of parser.parse(decoder.decode(output, { stream: true }))) {
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
