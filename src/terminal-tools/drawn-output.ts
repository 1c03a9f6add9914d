import type { Output, Terminal } from '../terminal/terminal.ts'

/**
 * Output up to what the screen shows, so that a reader can look at the screen, and offsets mean the same for everyone.
 */
export function readDrawn(terminal: Terminal, since: number, maxBytes: number): Output {
  const end = terminal.screen.offset
  if (since >= end) return { offset: since, bytes: Buffer.alloc(0), droppedBytes: 0 }
  const { offset, bytes, droppedBytes } = terminal.readOutput(since, Math.min(maxBytes, end - since))
  // The answer may begin later than requested.
  return { offset, bytes: bytes.subarray(0, Math.max(0, end - offset)), droppedBytes }
}
