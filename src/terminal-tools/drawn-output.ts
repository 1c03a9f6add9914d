import type { Output, Terminal } from '../terminal/terminal.ts'

/** Output as far as it is on the screen: whoever reads of it may look there, and an offset means the same to everybody. */
export function readDrawn(terminal: Terminal, since: number, maxBytes: number): Output {
  const end = terminal.screen.offset
  if (since >= end) return { offset: since, bytes: Buffer.alloc(0), droppedBytes: 0 }
  const { offset, bytes, droppedBytes } = terminal.readOutput(since, Math.min(maxBytes, end - since))
  // It may begin later than asked for.
  return { offset, bytes: bytes.subarray(0, Math.max(0, end - offset)), droppedBytes }
}
