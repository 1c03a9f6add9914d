/** read_scrollback, search_scrollback */
import { z } from 'zod'
import { clamp } from './clamp.ts'
import { assertModule } from './subject.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'

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
    const history = await subject.terminal.history()
    const { total } = history
    const offset = clamp(args.offset, 0, total)
    const count = Math.min(clamp(args.count, 1, maxCount), total - offset)
    const lines = await history.lines(total - offset - count, count)
    return { total_lines: total, offset, count, lines: lines.map(({ text }) => text).toReversed() }
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
    const history = await subject.terminal.history()
    const { matches, stoppedBy } = await history.search(pattern, {
      ignoreCase: true,
      maxResults: clamp(max_results, 1, maxMatches),
      timeLimitMs: searchWithinMs,
    })
    // Lines that came while it searched have no number yet: the newest of those that have is as near as can be told.
    const indexOf = (row: number) => Math.max(0, history.total - 1 - row)
    return {
      pattern,
      total_lines: history.total,
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
