/** Shows what a session prints: a drawing of its screen first, then its output, again and again. */
import type { TerminalSize } from '../../api/session.ts'
import type { Drawing, Output } from '../session-output.ts'
import type { Bell } from './bell.ts'
import type { View } from './view.ts'
import type { Visit } from './visit.ts'

export interface Following {
  readonly view: View
  /** Rings when it has to be drawn anew, such as when the person's window has got another size. */
  readonly redraw: Bell
  /** Another viewer types than before. It is drawn anew afterwards. */
  onWriter(writer: string | undefined): void
}

/** Resolves when the session has ended and all of it is shown. */
export async function followVisit(visit: Visit, { view, redraw, onWriter }: Following): Promise<void> {
  let writer: string | undefined
  let drawing = await draw()
  let { offset } = drawing
  for (;;) {
    const output = await readUnlessRung(visit, offset, redraw)
    if (output === 'rung') {
      redraw.silence()
      drawing = await draw()
      offset = drawing.offset
      continue
    }
    const { isStale } = view.show(output.bytes)
    offset = output.nextOffset
    if (output.hasEnded && output.bytes.length === 0) return
    if (isStale || output.dropped > 0 || output.writer !== writer || !isSameSize(output.size, drawing.size)) {
      drawing = await draw()
      // What could not be drawn is not played again: it may be what made us draw.
      offset = Math.max(offset, drawing.offset)
    }
  }

  async function draw(): Promise<Drawing> {
    const drawn = await visit.draw()
    if (drawn.writer !== writer) onWriter(drawn.writer)
    writer = drawn.writer
    view.draw(drawn.sequences, drawn.size)
    return drawn
  }
}

async function readUnlessRung(visit: Visit, offset: number, redraw: Bell): Promise<Output | 'rung'> {
  const reading = visit.read(offset)
  const first = await Promise.race([reading, redraw.heard().then(() => 'rung' as const)])
  // Nobody waits for it any more.
  if (first === 'rung') reading.catch(() => {})
  return first
}

function isSameSize(a: TerminalSize, b: TerminalSize): boolean {
  return a.cols === b.cols && a.rows === b.rows
}
