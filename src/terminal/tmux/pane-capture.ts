/**
 * The screen of a pane as bytes that draw the same on another terminal. tmux reports lines and modes, but not
 * everything: whether pastes are bracketed is unknown until the program sets it again.
 */
import type { TmuxCommand } from './access.ts'

/** Queried with `display-message`. */
const facts = {
  isAlternate: 'alternate_on',
  column: 'cursor_x',
  row: 'cursor_y',
  isCursorShown: 'cursor_flag',
  isInserting: 'insert_flag',
  isOrigin: 'origin_flag',
  isWrapping: 'wrap_flag',
  hasApplicationCursor: 'keypad_cursor_flag',
  hasApplicationKeypad: 'keypad_flag',
  mouseClicks: 'mouse_standard_flag',
  mouseDrags: 'mouse_button_flag',
  mouseMoves: 'mouse_all_flag',
  mouseUtf8: 'mouse_utf8_flag',
  mouseSgr: 'mouse_sgr_flag',
  upper: 'scroll_region_upper',
  lower: 'scroll_region_lower',
  rows: 'pane_height',
} as const

type PaneFacts = Readonly<Record<keyof typeof facts, number>>

const factsFormat = `${Object.values(facts)
  .map((name) => `#{${name}}`)
  .join(' ')} #{pane_title}`

/** Separates the answers; no screen shows it. */
const divider = `\u{10fffd}signalbox\u{10fffd}`

/** The commands for a capture, run together. */
export function captureCommands(pane: string): readonly TmuxCommand[] {
  const show = (format: string) => ['display-message', '-p', '-t', pane, format]
  const capture = (...options: readonly string[]) => ['capture-pane', '-p', '-e', '-J', '-t', pane, ...options]
  return [
    show(factsFormat),
    show(divider),
    capture('-S', '-'),
    show(divider),
    capture(),
    show(divider),
    capture('-a', '-q'),
    show(divider),
  ]
}

export interface PaneCapture {
  readonly state: PaneState
  /** The scrollback and the screen. */
  readonly all: readonly string[]
  /** The visible screen, normal or alternate. */
  readonly screen: readonly string[]
  /** The normal screen, while the alternate one is visible. */
  readonly behind: readonly string[]
}

export function readCapture(answer: Buffer): PaneCapture {
  // Bytes as characters: only the terminal decodes them.
  const parts = answer.toString('latin1').split(`${Buffer.from(divider).toString('latin1')}\n`)
  const [state = '', all = [], screen = [], behind = []] = [parts[0], ...parts.slice(1, 4).map(linesOf)] as const
  return { state: readFacts(state.trimEnd()), all, screen, behind }
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

interface PaneState extends PaneFacts {
  readonly title: string
}

function readFacts(line: string): PaneState {
  const words = line.split(' ')
  const names = Object.keys(facts) as (keyof PaneFacts)[]
  const numbers = names.map((name, index): [keyof PaneFacts, number] => [name, Number(words[index] ?? 0)])
  return { ...(Object.fromEntries(numbers) as PaneFacts), title: words.slice(names.length).join(' ') }
}

/** Draws everything on an empty terminal. */
export function drawWhole({ state, all, screen, behind }: PaneCapture): Buffer {
  const normal = state.isAlternate ? [...all.slice(0, all.length - screen.length), ...behind] : all
  const alternate = state.isAlternate ? ['\x1b[?1049h\x1b[H', ...drawLines(screen)] : []
  return latin1([clean, ...drawLines(normal), ...alternate, ...drawModes(state)])
}

/** Draws the current screen over the old one. */
export function redraw({ state, screen }: PaneCapture): Buffer {
  const toScreen = `\x1b[?1049${state.isAlternate ? 'h' : 'l'}\x1b[H\x1b[2J`
  return latin1([clean, toScreen, ...drawLines(screen), ...drawModes(state)])
}

/** Ends an incomplete sequence, and resets colours, margins and modes. */
const clean = '\x18\x1b[!p\x1b)0'

function drawLines(lines: readonly string[]): readonly string[] {
  const parts: string[] = []
  let style = ''
  for (const [index, text] of lines.entries()) {
    // A new line that begins while a background is set would be filled with it.
    parts.push(index === 0 ? '' : `\x1b[0m\r\n${style}`, text)
    // oxlint-disable-next-line no-control-regex
    for (const [sequence, codes] of text.matchAll(/\x1b\[([\d;:]*)m/g)) {
      if (/^0*(;|$)/.test(codes!)) style = ''
      style += sequence
    }
  }
  return [...parts, '\x1b[0m']
}

function drawModes(state: PaneState): readonly string[] {
  const isWholeScreen = state.upper === 0 && state.lower === state.rows - 1
  const modes: readonly (readonly [string, number])[] = [
    ['4', state.isInserting],
    ['?7', state.isWrapping],
    ['?1', state.hasApplicationCursor],
    ['?1000', state.mouseClicks],
    ['?1002', state.mouseDrags],
    ['?1003', state.mouseMoves],
    ['?1005', state.mouseUtf8],
    ['?1006', state.mouseSgr],
    ['?25', state.isCursorShown],
  ]
  return [
    '\x0f\x1b)B',
    ...(isWholeScreen ? [] : [`\x1b[${state.upper + 1};${state.lower + 1}r`]),
    // From here on, rows count within the margins.
    ...(state.isOrigin ? ['\x1b[?6h'] : []),
    `\x1b[${state.row - (state.isOrigin ? state.upper : 0) + 1};${state.column + 1}H`,
    // First all that are off: switching off one mouse mode also ends another.
    ...modes.filter(([, isOn]) => !isOn).map(([code]) => `\x1b[${code}l`),
    ...modes.filter(([, isOn]) => isOn).map(([code]) => `\x1b[${code}h`),
    state.hasApplicationKeypad ? '\x1b=' : '\x1b>',
    `\x1b]2;${state.title}\x1b\\`,
  ]
}

function latin1(parts: readonly string[]): Buffer {
  return Buffer.from(parts.join(''), 'latin1')
}
