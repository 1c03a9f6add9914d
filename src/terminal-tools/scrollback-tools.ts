/** read_scrollback, search_scrollback */
import { z } from 'zod'
import { clamp } from './clamp.ts'
import { assertModule } from './tool-target.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'

const maxCount = 1_000
const maxMatches = 500
const searchWithinMs = 1_000

export const readScrollback = defineTerminalTool({
  name: 'read_scrollback',
  description: 'Lines that have scrolled off the screen, newest first; line 0 is the newest.',
  input: {
    offset: z.int().default(0).describe('The first line.'),
    count: z.int().default(100).describe(`At most ${maxCount}.`),
  },
  output: z.object({ total_lines: z.int(), offset: z.int(), count: z.int(), lines: z.array(z.string()) }),
  annotations: readOnly,
  async run(target, args) {
    assertModule(target, 'scrollback')
    const history = await target.terminal.history()
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
    'Searches the lines above the screen with a regular expression (RE2, ignores case): the first match per line, newest first.',
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
        line_index: z.int().describe('Like the offset of read_scrollback.'),
        text: z.string(),
        match_start: z.int(),
        match_end: z.int(),
        end_line_index: z.int().optional().describe('Where the match ends, if its line is wrapped.'),
      }),
    ),
    stopped_by: z.enum(['results', 'time']).optional().describe('Why there may be more.'),
  }),
  annotations: readOnly,
  async run(target, { pattern, max_results }) {
    assertModule(target, 'scrollback')
    const history = await target.terminal.history()
    const { matches, stoppedBy } = await history.search(pattern, {
      ignoreCase: true,
      maxResults: clamp(max_results, 1, maxMatches),
      timeLimitMs: searchWithinMs,
    })
    // Lines that arrived during the search have no number yet, so the newest numbered line stands for them.
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
