// @ts-check
/** What a program prints that the page must not act on. */

/** @typedef {import('../xterm/xterm.js').IParser} IParser */

/**
 * A program's questions to its terminal are answered by the hub, once, however many are looking.
 * @param {IParser} parser
 */
export function swallowQuestions(parser) {
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
 * Sequences that repeat something as often as they say, which can stop the page for minutes. Beyond the size of the
 * screen nothing is left to do, and the hub does no more either.
 * @param {import('../xterm/xterm.js').Terminal} terminal
 */
export function limitCounts(terminal) {
  for (const [finals, limit] of counted) {
    for (const final of finals) {
      // The public way to handle a sequence hands out copies of its numbers.
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
