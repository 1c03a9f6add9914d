/**
 * What a pane shows, as bytes that draw the same on another terminal. tmux tells the lines and the modes, but not
 * everything: whether pastes are bracketed is not known until the program says so anew.
 */

/** Asked of tmux by `display-message`, one line each. */
const facts = {
  isAlternate: 'alternate_on',
  historyLines: 'history_size',
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

export type PaneFacts = Readonly<Record<keyof typeof facts, number>>

export const factsFormat = `${Object.values(facts)
  .map((name) => `#{${name}}`)
  .join(' ')} #{pane_title}`

export interface PaneState extends PaneFacts {
  readonly title: string
}

export function readFacts(line: string): PaneState {
  const words = line.split(' ')
  const names = Object.keys(facts) as (keyof PaneFacts)[]
  const numbers = names.map((name, index): [keyof PaneFacts, number] => [name, Number(words[index] ?? 0)])
  return { ...(Object.fromEntries(numbers) as PaneFacts), title: words.slice(names.length).join(' ') }
}

/** All of it, on a terminal that shows nothing yet. `alternate`: while that screen is shown. */
export function drawWhole(state: PaneState, normal: readonly Buffer[], alternate: readonly Buffer[]): Buffer {
  const parts = [clean, ...drawLines(normal)]
  if (state.isAlternate) parts.push('\x1b[?1049h\x1b[H', ...drawLines(alternate))
  return latin1([...parts, ...drawModes(state)])
}

/** What is on the screen now, over what was there. */
export function drawAnew(state: PaneState, screen: readonly Buffer[]): Buffer {
  const toScreen = `\x1b[?1049${state.isAlternate ? 'h' : 'l'}\x1b[H\x1b[2J`
  return latin1([clean, toScreen, ...drawLines(screen), ...drawModes(state)])
}

/** Breaks off a sequence that was cut, and forgets colours, margins and modes. */
const clean = '\x18\x1b[!p\x1b)0'

/** Bytes as characters: what they mean is the terminal's business. */
function drawLines(lines: readonly Buffer[]): readonly string[] {
  const parts: string[] = []
  let look = ''
  for (const [index, line] of lines.entries()) {
    const text = line.toString('latin1')
    // A line that begins while a background is set would be filled with it.
    parts.push(index === 0 ? '' : `\x1b[0m\r\n${look}`, text)
    for (const [sequence, codes] of text.matchAll(/\x1b\[([\d;:]*)m/g)) {
      if (/^0*(;|$)/.test(codes!)) look = ''
      look += sequence
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
    // From here on rows are counted within the margins.
    ...(state.isOrigin ? ['\x1b[?6h'] : []),
    `\x1b[${state.row - (state.isOrigin ? state.upper : 0) + 1};${state.column + 1}H`,
    // All that are off first: one way of reporting the mouse ends another.
    ...modes.filter(([, isOn]) => !isOn).map(([code]) => `\x1b[${code}l`),
    ...modes.filter(([, isOn]) => isOn).map(([code]) => `\x1b[${code}h`),
    state.hasApplicationKeypad ? '\x1b=' : '\x1b>',
    `\x1b]2;${Buffer.from(state.title).toString('latin1')}\x1b\\`,
  ]
}

function latin1(parts: readonly string[]): Buffer {
  return Buffer.from(parts.join(''), 'latin1')
}
