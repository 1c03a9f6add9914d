/** read_screen, get_cursor_position, get_cell_attributes */
import { z } from 'zod'
import type { Look, Run, Screen } from '../terminal/terminal.ts'
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
  description: 'The visible screen as text, line by line. offset is a "since" for what is printed after it.',
  input: {
    include_attributes: z.boolean().default(false).describe('Each line with its colours and styles, in runs.'),
    cells: z.boolean().default(false).describe('The same cell by cell, which is much longer.'),
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
      const { character, look } = screen.cell(row, column)
      const { bold, italic, underline, reverse } = look
      return { char: character, fg: look.foreground, bg: look.background, bold, italic, underline, reverse }
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
] as const satisfies (keyof Look)[]

/** Of the styles only those it has. */
function toWire({ text, column, width, look }: Run): z.input<typeof runSchema> {
  const { foreground, background, link } = look
  const own = styles.filter((style) => look[style]).map((style) => [style, true] as const)
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
  description: 'Where the cursor is, 0-based, and what it stands on.',
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
  description: 'The character of one cell, its colours and styles. The second column of a wide character is empty.',
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
    const { character, codepoint, width, look } = terminal.screen.cell(row, col)
    const { foreground: fg, background: bg, bold, italic, underline, reverse, struck, invisible } = look
    const styles = { bold, italic, underline, reverse, struck, invisible }
    return { row, col, character, codepoint, fg, bg, ...styles, wide: width === 2 }
  },
})
