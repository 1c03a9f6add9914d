/** read_screen, get_cursor_position, get_cell_attributes */
import { z } from 'zod'
import type { CellStyle, Run, Screen } from '../terminal/terminal.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'

const colour = z.string().describe('"#rrggbb" or "default"')
const flag = z.literal(true).optional()

const runSchema = z.object({
  text: z.string(),
  col: z.int(),
  width: z.int(),
  fg: colour,
  bg: colour,
  bold: flag,
  dim: flag,
  italic: flag,
  underline: flag,
  reverse: flag,
  struck: flag,
  invisible: flag,
  link: z.string().optional(),
})

const cellSchema = z.object({
  char: z.string(),
  fg: colour,
  bg: colour,
  bold: z.boolean(),
  italic: z.boolean(),
  underline: z.boolean(),
  reverse: z.boolean(),
})

const lineSchema = z.union([
  z.string(),
  z.object({ text: z.string(), runs: z.array(runSchema) }),
  z.object({ text: z.string(), cells: z.array(cellSchema) }),
])

export const readScreen = defineTerminalTool({
  name: 'read_screen',
  description: 'The visible screen as text, line by line. offset is a "since" for later output.',
  input: {
    include_attributes: z.boolean().default(false).describe('Adds colours and styles, in runs.'),
    cells: z.boolean().default(false).describe('The same cell by cell; much longer.'),
  },
  output: z.object({
    rows: z.int(),
    cols: z.int(),
    lines: z.array(lineSchema),
    cursor: z.object({ row: z.int(), col: z.int(), visible: z.boolean() }),
    offset: z.number(),
  }),
  annotations: readOnly,
  async run({ terminal: { screen } }, { include_attributes, cells }) {
    const { cols, rows } = screen.size
    const { row, column, isVisible } = screen.cursor()
    return {
      rows,
      cols,
      lines: cells ? linesOfCells(screen) : include_attributes ? linesOfRuns(screen) : plainLines(screen),
      cursor: { row, col: column, visible: isVisible },
      offset: screen.offset,
    }
  },
})

function plainLines(screen: Screen) {
  return screen.rows().map(({ text }) => text)
}

function linesOfRuns(screen: Screen) {
  return screen.rows().map((row) => ({ text: row.text, runs: row.runs().map(toWire) }))
}

function linesOfCells(screen: Screen) {
  const columns = Array.from({ length: screen.size.cols }, (_, column) => column)
  return screen.rows().map(({ text }, row) => ({
    text,
    cells: columns.map((column) => {
      const { character, style } = screen.cell(row, column)
      const { bold, italic, underline, reverse } = style
      return { char: character, fg: style.foreground, bg: style.background, bold, italic, underline, reverse }
    }),
  }))
}

const styles = [
  'bold',
  'dim',
  'italic',
  'underline',
  'reverse',
  'struck',
  'invisible',
] as const satisfies (keyof CellStyle)[]

/** Includes only the styles that are set. */
function toWire({ text, column, width, style }: Run): z.input<typeof runSchema> {
  const { foreground, background, link } = style
  const own = styles.filter((name) => style[name]).map((name) => [name, true] as const)
  return {
    text,
    col: column,
    width,
    fg: foreground,
    bg: background,
    ...Object.fromEntries(own),
    ...(link !== undefined && { link }),
  }
}

export const getCursorPosition = defineTerminalTool({
  name: 'get_cursor_position',
  description: 'The position of the cursor, 0-based, and the character under it.',
  input: {},
  output: z.object({
    row: z.int(),
    col: z.int(),
    character: z.string(),
    visible: z.boolean(),
    shape: z.enum(['block', 'underline', 'bar']),
  }),
  annotations: readOnly,
  async run({ terminal }) {
    const { row, column, character, isVisible, shape } = terminal.screen.cursor()
    return { row, col: column, character, visible: isVisible, shape }
  },
})

export const getCellAttributes = defineTerminalTool({
  name: 'get_cell_attributes',
  description: 'The character of one cell, its colours and styles. The second half of a wide character is empty.',
  input: { row: z.int().describe('0-based'), col: z.int().describe('0-based') },
  output: z.object({
    row: z.int(),
    col: z.int(),
    character: z.string(),
    codepoint: z.int(),
    fg: colour,
    bg: colour,
    bold: z.boolean(),
    italic: z.boolean(),
    underline: z.boolean(),
    reverse: z.boolean(),
    struck: z.boolean(),
    invisible: z.boolean(),
    wide: z.boolean(),
  }),
  annotations: readOnly,
  async run({ terminal }, { row, col }) {
    const { character, codepoint, width, style } = terminal.screen.cell(row, col)
    const { foreground: fg, background: bg, bold, italic, underline, reverse, struck, invisible } = style
    const styles = { bold, italic, underline, reverse, struck, invisible }
    return { row, col, character, codepoint, fg, bg, ...styles, wide: width === 2 }
  },
})
