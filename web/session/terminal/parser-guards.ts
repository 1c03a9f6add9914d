/** Guards against output that the page must not act on. */
import type { IParser, Terminal } from '@xterm/xterm'
import type { TerminalSize } from '../../../src/api/session.ts'

/** The hub answers a program's questions to its terminal, once, for any number of viewers. The page must not answer. */
export function ignoreQuestions(parser: IParser): void {
  for (const question of questions) parser.registerCsiHandler(question, () => true)
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => true)
  for (const colour of [4, 10, 11, 12]) parser.registerOscHandler(colour, (data) => data.split(';').includes('?'))
}

const questions = [
  // device attributes
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  // status, cursor position
  { final: 'n' },
  { prefix: '?', final: 'n' },
  // modes
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  // version
  { prefix: '>', final: 'q' },
]

/** The public API passes copies of the parameters, which cannot be changed. */
interface TerminalCore {
  readonly _core: {
    registerCsiHandler(
      id: { readonly final: string },
      handler: (params: { readonly params: number[] }) => boolean,
    ): void
  }
}

/**
 * Sequences that repeat something by their count, which can block the page for minutes. Counts beyond the size of the
 * screen have no further effect, and the hub limits them too.
 */
export function limitCounts(terminal: Terminal): void {
  const { _core: core } = terminal as unknown as TerminalCore
  for (const [finals, limit] of counted) {
    for (const final of finals) {
      core.registerCsiHandler({ final }, ({ params }) => {
        params[0] = Math.min(params[0] ?? 0, limit(terminal))
        return false
      })
    }
  }
}

const counted: readonly (readonly [finals: string, limit: (size: TerminalSize) => number])[] = [
  ['LMST', ({ rows }) => rows],
  ['IZ', ({ cols }) => cols],
  ['b', ({ cols, rows }) => cols * rows],
]
