/** read_scrollback, search_scrollback */
import { z } from 'zod'
import { assertModule } from './subject.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'
import { compilePattern } from '../terminal/patterns.ts'
import { searchRows } from '../terminal/search.ts'

const maxCount = 1_000
const maxMatches = 500
const searchWithinMs = 1_000

export const readScrollback = defineTerminalTool({
  name: 'read_scrollback',
  description: 'Lines that have scrolled off the screen, the newest first; line 0 is the newest.',
  input: {
    offset: z.int().default(0).describe('The line to begin with.'),
    count: z.int().default(100).describe(`At most ${maxCount}.`),
  },
  output: z.object({ total_lines: z.int(), offset: z.int(), count: z.int(), lines: z.array(z.string()) }),
  annotations: readOnly,
  async run(subject, args) {
    assertModule(subject, 'scrollback')
    const rows = subject.terminal.screen.scrollback()
    const total = rows.length
    const offset = clamp(args.offset, 0, total)
    const count = Math.min(clamp(args.count, 1, maxCount), total - offset)
    const lines = rows.slice(total - offset - count, total - offset).map(({ text }) => text)
    return { total_lines: total, offset, count, lines: lines.toReversed() }
  },
})

export const searchScrollback = defineTerminalTool({
  name: 'search_scrollback',
  description:
    'Searches what has scrolled off the screen with a regular expression (RE2, any case): the first match of each line, the newest first. Positions are columns.',
  input: {
    pattern: z.string(),
    max_results: z.int().default(50).describe(`At most ${maxMatches}.`),
  },
  output: z.object({
    pattern: z.string(),
    total_lines: z.int(),
    match_count: z.int(),
    matches: z.array(
      z.object({
        line_index: z.int().describe('As the offset of read_scrollback.'),
        text: z.string(),
        match_start: z.int(),
        match_end: z.int(),
        end_line_index: z.int().optional().describe('Where the match ends, if its line is wrapped.'),
      }),
    ),
    stopped_by: z.enum(['results', 'time']).optional().describe('Why there may be more.'),
  }),
  annotations: readOnly,
  async run(subject, { pattern, max_results }) {
    assertModule(subject, 'scrollback')
    const compiled = await compilePattern(pattern, { ignoreCase: true })
    const rows = subject.terminal.screen.scrollback()
    const options = { maxResults: clamp(max_results, 1, maxMatches), timeLimitMs: searchWithinMs }
    const { matches, stoppedBy } = searchRows(rows, compiled, options)
    const indexOf = (row: number) => rows.length - 1 - row
    return {
      pattern,
      total_lines: rows.length,
      match_count: matches.length,
      matches: matches.map(({ row, endRow, text, startColumn, endColumn }) => ({
        line_index: indexOf(row),
        text,
        match_start: startColumn,
        match_end: endColumn,
        ...(endRow !== row && { end_line_index: indexOf(endRow) }),
      })),
      ...(stoppedBy && { stopped_by: stoppedBy }),
    }
  },
})

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
