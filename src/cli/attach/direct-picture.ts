/** What a program prints, passed on to a terminal of the same size. */
import { createOutputFilter } from '../output-filter.ts'
import type { OwnTerminal } from './own-terminal.ts'
import type { Picture } from './view.ts'

export function createDirectPicture(terminal: OwnTerminal, { clipboard }: { readonly clipboard: boolean }): Picture {
  const filter = createOutputFilter({ clipboard })
  const decoder = new TextDecoder()
  return {
    draw(drawing) {
      terminal.write(`${atOnce}${filter.pass(onOneScreen(drawing)).text}${atOnceEnd}`)
    },
    show(output) {
      const { text, isStale } = filter.pass(decoder.decode(output, { stream: true }))
      terminal.write(text)
      return { isStale }
    },
    [Symbol.dispose]: () => terminal.write(filter.undo(terminal.size.cols)),
  }
}

const atOnce = '\x1b[?2026h'
const atOnceEnd = '\x1b[?2026l'

/**
 * A drawing has two screens, and may visit the second one only to leave a cursor there. On this terminal there is one.
 */
function onOneScreen(drawing: string): string {
  const from = drawing.indexOf(toSecond)
  if (from < 0) return drawing
  const to = drawing.indexOf(toFirst, from)
  const isVisit = to >= 0
  return isVisit ? drawing.slice(0, from) + drawing.slice(to + toFirst.length) : drawing
}

const toSecond = '\x1b[?47h'
const toFirst = '\x1b[?47l'
