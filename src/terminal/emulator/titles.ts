/** The window title that a program sets (OSC 0 and 2), and the stack for earlier titles (CSI 22 t, CSI 23 t). */
import type { Emulator } from './emulator.ts'

export interface Titles {
  current: string
  /** Oldest first. */
  readonly stack: string[]
}

const maxTitleLength = 1000
/** As in xterm. */
const maxStack = 10

export function followTitles({ parser, internals }: Emulator): Titles {
  const titles: Titles = { current: '', stack: [] }

  function set(title: string): boolean {
    titles.current = title.slice(0, maxTitleLength).toWellFormed()
    return true
  }
  parser.registerOscHandler(0, set)
  parser.registerOscHandler(2, set)
  // The icon name is not shown anywhere.
  parser.registerOscHandler(1, () => true)

  internals.registerCsiHandler({ final: 't' }, ({ params, length }) => {
    const isPush = params[0] === 22
    if (!isPush && params[0] !== 23) return false
    const isIconOnly = length > 1 && params[1] === 1
    if (isIconOnly) return true
    if (isPush) {
      titles.stack.push(titles.current)
      if (titles.stack.length > maxStack) titles.stack.shift()
    } else {
      titles.current = titles.stack.pop() ?? titles.current
    }
    return true
  })
  return titles
}
