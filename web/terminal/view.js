// @ts-check
/** The terminal in the page: the same emulator as in the hub, drawn, and made to fit. */
import { FitAddon } from '../xterm/addon-fit.js'
import { WebLinksAddon } from '../xterm/addon-web-links.js'
import { Terminal } from '../xterm/xterm.js'
import { countCharactersAsTheHub } from './character-width.js'
import { limitCounts, swallowQuestions } from './parser-guards.js'

/** @typedef {{ cols: number, rows: number }} Size */
/** @typedef {ReturnType<typeof createView>} View */

const writingFontSize = 14
const phoneFontSize = 12
const smallestFontSize = 2
const largestFontSize = 24
const fontStep = 0.5
/** As large as a terminal can be. */
const largest = { cols: 500, rows: 300 }

/**
 * @param {HTMLElement} place
 * @param {{ nonce: string }} options
 */
export function createView(place, { nonce }) {
  admitStyles(nonce)
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: true,
    fontFamily: 'ui-monospace, Menlo, "DejaVu Sans Mono", "Noto Sans Mono", Consolas, monospace',
    fontSize: writingFontSize,
    scrollback: 10_000,
    windowOptions: { pushTitle: true, popTitle: true },
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  countCharactersAsTheHub(terminal)
  terminal.loadAddon(new WebLinksAddon((_, address) => void open(address, '_blank', 'noopener,noreferrer')))
  swallowQuestions(terminal.parser)
  limitCounts(terminal)
  const frame = document.createElement('div')
  place.append(frame)
  terminal.open(frame)

  /** @type {'writer' | 'reader'} */
  let role = 'reader'

  /** A reader sees all of the writer's screen, as large as it can be. */
  function scaleToFit() {
    const room = fit.proposeDimensions()
    if (!room) return
    const { fontSize = writingFontSize } = terminal.options
    // What is left beside the last whole column and row may make up for one more step.
    const scale = Math.min((room.cols + 1) / terminal.cols, (room.rows + 1) / terminal.rows)
    let next = Math.min(Math.floor((fontSize * scale) / fontStep) * fontStep, largestFontSize)
    do terminal.options.fontSize = Math.max(next, smallestFontSize)
    while (!hasRoom() && (next -= fontStep) >= smallestFontSize)
  }

  function hasRoom() {
    const room = fit.proposeDimensions()
    return !room || (room.cols >= terminal.cols && room.rows >= terminal.rows)
  }

  function arrange() {
    place.dataset.role = role
    if (role === 'reader') scaleToFit()
    else terminal.options.fontSize = matchMedia('(max-width: 700px)').matches ? phoneFontSize : writingFontSize
  }

  /** @param {string | Uint8Array} data */
  const write = (data) => /** @type {Promise<void>} */ (new Promise((resolve) => terminal.write(data, resolve)))

  return {
    terminal,
    arrange,
    /** @param {'writer' | 'reader'} next */
    setRole(next) {
      role = next
      arrange()
    },
    /** The size that fills the page. @returns {Size | undefined} */
    room() {
      const room = fit.proposeDimensions()
      return room && { cols: Math.min(room.cols, largest.cols), rows: Math.min(room.rows, largest.rows) }
    },
    /**
     * Draws a screen in place of what is there.
     * @param {string} drawing
     * @param {Size} size
     */
    async draw(drawing, { cols, rows }) {
      terminal.resize(cols, rows)
      arrange()
      // In one piece with what wipes the old screen, so that nobody sees an empty one.
      await write(encoder.encode(wipe + drawing))
    },
    /** Resolves when it is on the screen. @param {Uint8Array} bytes */
    print: (bytes) => write(bytes),
  }
}

const encoder = new TextEncoder()

/** A full reset leaves changed colours. */
const wipe = '\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1bc'

/**
 * The emulator writes its rules into style elements, and the page's policy admits those that carry its nonce.
 * @param {string} nonce
 */
function admitStyles(nonce) {
  const create = document.createElement.bind(document)
  document.createElement = (/** @type {string} */ tag, /** @type {ElementCreationOptions} */ options) =>
    Object.assign(create(tag, options), tag === 'style' && { nonce })
}
