import type { Output, Terminal } from '../terminal/terminal.ts'

/**
 * Returns only output that the screen already shows, so that a reader can look at the screen, and an offset means the
 * same for every reader.
 */
export function readDrawn(terminal: Terminal, since: number, maxBytes: number): Output {
  const end = terminal.screen.offset
  if (since >= end) return { offset: since, bytes: Buffer.alloc(0), droppedBytes: 0 }
  const { offset, bytes, droppedBytes } = terminal.readOutput(since, Math.min(maxBytes, end - since))
  // The answer may begin later than requested.
  return { offset, bytes: bytes.subarray(0, Math.max(0, end - offset)), droppedBytes }
}
