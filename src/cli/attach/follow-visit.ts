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
  /** The viewer who types has changed. It is drawn anew afterwards. */
  onWriter(writer: string | undefined): void
}

/** Resolves when the session has ended and all of it is shown. */
export async function followVisit(visit: Visit, { view, redraw, onWriter }: Following): Promise<void> {
  let writer: string | undefined
  let drawing = await draw(visit, view)
  let { offset } = drawing
  for (;;) {
    const output = await readUnlessRung(visit, offset, redraw)
    if (output === 'rung') {
      redraw.silence()
      drawing = await draw(visit, view)
      offset = drawing.offset
      continue
    }
    const { isStale } = view.show(output.bytes)
    offset = output.nextOffset
    if (output.hasEnded && output.bytes.length === 0) return
    const isPassedOn = output.writer !== writer
    writer = output.writer
    if (isPassedOn) onWriter(writer)
    if (isStale || isPassedOn || output.dropped > 0 || !isSameSize(output.size, drawing.size)) {
      drawing = await draw(visit, view)
      // What could not be drawn is not played again: it may be what made us draw.
      offset = Math.max(offset, drawing.offset)
    }
  }
}

async function draw(visit: Visit, view: View): Promise<Drawing> {
  const drawing = await visit.draw()
  view.draw(drawing.sequences, drawing.size)
  return drawing
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
