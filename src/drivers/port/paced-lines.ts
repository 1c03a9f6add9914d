/**
 * The lines of a program that may send them without end. They are read no faster than the hub can answer the requests in
 * them, and the other sessions have their turn in between. What is not read yet is in the journal, and when that is
 * full, the program waits.
 */
import { HubError } from '../../base/hub-error.ts'
import { whyTooHeavy } from '../../base/json-weight.ts'
import { createPace } from '../../base/pace.ts'
import type { OutputLine, PipedProgram } from '../../terminal/terminal.ts'
import type { AnswerRoom } from './answer-room.ts'

export interface PacedLinesOptions {
  /** The offset of the first line. */
  readonly since: number
  readonly room: AnswerRoom
  /** Ends the lines at once. */
  readonly signal: AbortSignal
}

/** Throws if a line is too long or too heavy to be parsed. */
export async function* pacedLines(
  program: PipedProgram,
  { since, room, signal }: PacedLinesOptions,
): AsyncGenerator<OutputLine, void> {
  const pace = createPace()
  for await (const line of program.lines(since, signal)) {
    const startedAt = performance.now()
    if (room.isFull) await room.ready(signal)
    if (signal.aborted) return
    const why = whyTooHeavy(line.bytes)
    if (why !== undefined) {
      const { length } = line.bytes
      throw new HubError(
        'too-large',
        `The program wrote a line of ${length} bytes that is too much for the hub: ${why}.`,
      )
    }
    yield line
    await pace(startedAt)
  }
}
