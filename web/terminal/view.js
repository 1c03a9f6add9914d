// @ts-check
/** The terminal on the page: the same emulator as in the hub, scaled to fit. */
import { FitAddon } from '../xterm/addon-fit.js'
import { WebLinksAddon } from '../xterm/addon-web-links.js'
import { Terminal } from '../xterm/xterm.js'
import { countCharactersLikeTheHub } from './character-width.js'
import { ignoreQuestions, limitCounts } from './parser-guards.js'

/** @typedef {{ cols: number, rows: number }} Size */
/** @typedef {ReturnType<typeof createView>} View */

const writingFontSize = 14
const phoneFontSize = 12
const smallestFontSize = 2
const largestFontSize = 24
const fontStep = 0.5
/** The largest size of a terminal. */
const largest = { cols: 500, rows: 300 }

/**
 * @param {HTMLElement} place
 * @param {{ nonce: string }} options
 */
export function createView(place, { nonce }) {
  allowStyles(nonce)
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
  countCharactersLikeTheHub(terminal)
  terminal.loadAddon(new WebLinksAddon((_, address) => void open(address, '_blank', 'noopener,noreferrer')))
  ignoreQuestions(terminal.parser)
  limitCounts(terminal)
  const frame = document.createElement('div')
  place.append(frame)
  terminal.open(frame)

  /** @type {'writer' | 'reader'} */
  let role = 'reader'

  /** A reader sees the whole screen of the writer, as large as possible. */
  function scaleToFit() {
    const room = fit.proposeDimensions()
    if (!room) return
    const { fontSize = writingFontSize } = terminal.options
    // The space beside the last whole column and row may allow one more step.
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
      // In one write with the reset, so that no empty screen is visible.
      await write(encoder.encode(wipe + drawing))
    },
    /** Resolves when the bytes are on the screen. @param {Uint8Array} bytes */
    print: (bytes) => write(bytes),
  }
}

const encoder = new TextEncoder()

/** A full reset does not restore changed colours. */
const wipe = '\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1bc'

/**
 * The emulator creates style elements, and the content security policy of the page requires a nonce on them.
 * @param {string} nonce
 */
function allowStyles(nonce) {
  const create = document.createElement.bind(document)
  document.createElement = (/** @type {string} */ tag, /** @type {ElementCreationOptions} */ options) =>
    Object.assign(create(tag, options), tag === 'style' && { nonce })
}
