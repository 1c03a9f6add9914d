/** The terminal on the page: the same emulator as in the hub, scaled to fit. */
import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { WebLinksAddon } from '@xterm/addon-web-links'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import type { TerminalSize } from '../../../src/api/session.ts'
import { countCharactersLikeTheHub } from './character-width.ts'
import { terminalColours } from './colours.ts'
import { ignoreQuestions, limitCounts } from './parser-guards.ts'

export interface View extends Disposable {
  readonly terminal: Terminal
  readonly search: SearchAddon
  arrange(): void
  setRole(role: 'writer' | 'reader'): void
  /** Changes the size of the letters of a writer. */
  setFontSize(size: number): void
  /** The size that fills the page. */
  room(): TerminalSize | undefined
  /** Replaces the screen with a drawing. */
  draw(drawing: string, size: TerminalSize): Promise<void>
  resize(size: TerminalSize): void
  /** Resolves when the bytes are on the screen. */
  print(bytes: Uint8Array): Promise<void>
}

const smallestFontSize = 2
const largestFontSize = 24
const fontStep = 0.5
/** The largest size of a terminal. */
const largest = { cols: 500, rows: 300 }
/** With less room, text needs more height than a terminal gives it, and underscores would be cut off. */
const lineHeight = 1.2

export function createView(place: HTMLElement, firstFontSize: number): View {
  const terminal = new Terminal({
    allowProposedApi: true,
    cursorBlink: true,
    fontFamily: '"JetBrains Mono", ui-monospace, Menlo, "DejaVu Sans Mono", "Noto Sans Mono", Consolas, monospace',
    fontSize: firstFontSize,
    lineHeight,
    minimumContrastRatio: 4.5,
    scrollback: 10_000,
    theme: terminalColours(),
    windowOptions: { pushTitle: true, popTitle: true },
  })
  const fit = new FitAddon()
  const search = new SearchAddon()
  terminal.loadAddon(fit)
  terminal.loadAddon(search)
  countCharactersLikeTheHub(terminal)
  terminal.loadAddon(new WebLinksAddon((_, address) => void open(address, '_blank', 'noopener,noreferrer')))
  ignoreQuestions(terminal.parser)
  limitCounts(terminal)
  // The page gives the keyboard back with this key, also while the program has it.
  terminal.attachCustomKeyEventHandler(
    ({ key, shiftKey, ctrlKey, metaKey }) => !(key === 'Escape' && shiftKey && (ctrlKey || metaKey)),
  )
  terminal.open(place)

  let role: 'writer' | 'reader' = 'reader'
  let writerFontSize = firstFontSize

  /** A reader sees the whole screen of the writer, as large as possible. */
  function scaleToFit(): void {
    const room = fit.proposeDimensions()
    if (!room) return
    const { fontSize = writerFontSize } = terminal.options
    // The space beside the last whole column and row may allow one more step.
    const scale = Math.min((room.cols + 1) / terminal.cols, (room.rows + 1) / terminal.rows)
    let next = Math.min(Math.floor((fontSize * scale) / fontStep) * fontStep, largestFontSize)
    do terminal.options.fontSize = Math.max(next, smallestFontSize)
    while (!hasRoom() && (next -= fontStep) >= smallestFontSize)
  }

  function hasRoom(): boolean {
    const room = fit.proposeDimensions()
    return !room || (room.cols >= terminal.cols && room.rows >= terminal.rows)
  }

  function arrange(): void {
    if (role === 'reader') scaleToFit()
    else terminal.options.fontSize = writerFontSize
  }

  function resize({ cols, rows }: TerminalSize): void {
    terminal.resize(cols, rows)
    arrange()
  }

  const write = (data: string | Uint8Array) => new Promise<void>((resolve) => terminal.write(data, resolve))

  return {
    terminal,
    search,
    arrange,
    setRole(next) {
      role = next
      arrange()
    },
    setFontSize(size) {
      writerFontSize = size
      arrange()
    },
    room() {
      const room = fit.proposeDimensions()
      return room && { cols: Math.min(room.cols, largest.cols), rows: Math.min(room.rows, largest.rows) }
    },
    resize,
    async draw(drawing, size) {
      resize(size)
      // In one write with the reset, so that no empty screen is visible.
      await write(encoder.encode(wipe + drawing))
    },
    print: write,
    [Symbol.dispose]: () => terminal.dispose(),
  }
}

const encoder = new TextEncoder()

/** A full reset does not restore changed colours. */
const wipe = '\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\\x1bc'
