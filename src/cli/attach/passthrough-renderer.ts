/** Passes the output of a program to a terminal of the same size. */
import { createOutputFilter } from './output-filter.ts'
import type { RawTerminal } from './raw-terminal.ts'
import type { Renderer } from './renderer.ts'

export function createPassthroughRenderer(
  terminal: RawTerminal,
  { clipboard }: { readonly clipboard: boolean },
): Renderer {
  const filter = createOutputFilter({ clipboard })
  const decoder = new TextDecoder()
  return {
    draw(snapshot) {
      terminal.write(`${beginUpdate}${filter.pass(onOneScreen(snapshot)).text}${endUpdate}`)
    },
    show(output) {
      const { text, isStale } = filter.pass(decoder.decode(output, { stream: true }))
      terminal.write(text)
      return { isStale }
    },
    [Symbol.dispose]: () => terminal.write(filter.undo(terminal.size.cols)),
  }
}

/** Synchronized output: the terminal shows the whole drawing in one step. */
const beginUpdate = '\x1b[?2026h'
const endUpdate = '\x1b[?2026l'

/**
 * A snapshot describes two screens. It may switch to the alternate screen only to place the cursor there, and back. We
 * show both on one screen, so that part is cut out.
 */
function onOneScreen(snapshot: string): string {
  const from = snapshot.indexOf(toAlternate)
  if (from < 0) return snapshot
  const to = snapshot.indexOf(toNormal, from)
  return to < 0 ? snapshot : snapshot.slice(0, from) + snapshot.slice(to + toNormal.length)
}

const toAlternate = '\x1b[?47h'
const toNormal = '\x1b[?47l'
