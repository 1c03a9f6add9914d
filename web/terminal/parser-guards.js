// @ts-check
/** Guards against output that the page must not act on. */

/** @typedef {import('../xterm/xterm.js').IParser} IParser */

/**
 * The hub answers a program's questions to its terminal, once, for any number of viewers. The page must not answer.
 * @param {IParser} parser
 */
export function ignoreQuestions(parser) {
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

/**
 * Sequences that repeat something by their count, which can block the page for minutes. Counts beyond the size of the
 * screen have no further effect, and the hub limits them too.
 * @param {import('../xterm/xterm.js').Terminal} terminal
 */
export function limitCounts(terminal) {
  for (const [finals, limit] of counted) {
    for (const final of finals) {
      // The public API passes copies of the parameters, which cannot be changed.
      const { _core: core } = /** @type {any} */ (terminal)
      core.registerCsiHandler({ final }, (/** @type {{ params: number[] }} */ { params }) => {
        params[0] = Math.min(params[0] ?? 0, limit(terminal))
        return false
      })
    }
  }
}

/** @type {readonly (readonly [string, (size: { cols: number, rows: number }) => number])[]} */
const counted = [
  ['LMST', ({ rows }) => rows],
  ['IZ', ({ cols }) => cols],
  ['b', ({ cols, rows }) => cols * rows],
]
