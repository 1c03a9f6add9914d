/** Shows a session on the view: first a snapshot of its screen, then its output as it arrives. */
import type { TerminalSize } from '../../api/session.ts'
import type { Output, Snapshot } from './session-output.ts'
import type { Latch } from './latch.ts'
import type { View } from './view.ts'
import type { Attachment } from './attachment.ts'

export interface FollowOptions {
  readonly view: View
  /** Set when the screen has to be redrawn, for example after the person resized the window. */
  readonly redraw: Latch
  /** Called when the writer changes, before the screen is redrawn. */
  onWriter(writer: string | undefined): void
}

/** Resolves when the session has ended and all its output is shown. */
export async function followOutput(attachment: Attachment, { view, redraw, onWriter }: FollowOptions): Promise<void> {
  let writer: string | undefined
  let snapshot = await draw()
  let { offset } = snapshot
  for (;;) {
    const output = await readUnlessRedraw(attachment, offset, redraw)
    if (output === 'redraw') {
      redraw.clear()
      snapshot = await draw()
      offset = snapshot.offset
      continue
    }
    const { isStale } = view.show(output.bytes)
    offset = output.nextOffset
    if (output.hasEnded && output.bytes.length === 0) return
    if (isStale || output.dropped > 0 || output.writer !== writer || !isSameSize(output.size, snapshot.size)) {
      snapshot = await draw()
      // Never go back to output that was shown already. If no snapshot could be taken, that output may be the reason.
      offset = Math.max(offset, snapshot.offset)
    }
  }

  async function draw(): Promise<Snapshot> {
    const next = await attachment.readSnapshot()
    if (next.writer !== writer) onWriter(next.writer)
    writer = next.writer
    view.draw(next.sequences, next.size)
    return next
  }
}

async function readUnlessRedraw(attachment: Attachment, offset: number, redraw: Latch): Promise<Output | 'redraw'> {
  const reading = attachment.readOutput(offset)
  const first = await Promise.race([reading, redraw.whenSet().then(() => 'redraw' as const)])
  // The result of the read is no longer used, so its failure must not become an unhandled rejection.
  if (first === 'redraw') reading.catch(() => {})
  return first
}

function isSameSize(a: TerminalSize, b: TerminalSize): boolean {
  return a.cols === b.cols && a.rows === b.rows
}
