/** list_detected_urls */
import { z } from 'zod'
import { compileUntrustedPattern, findUrls } from '../terminal/terminal.ts'
import { assertModule } from './tool-target.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'

export const listDetectedUrls = defineTerminalTool({
  name: 'list_detected_urls',
  description: 'The URLs on the visible screen, with their columns.',
  input: { regex: z.string().optional().describe('A pattern for URLs (RE2). Default: http, https, ftp and file.') },
  output: z.object({
    count: z.int(),
    urls: z.array(
      z.object({
        url: z.string(),
        row: z.int(),
        start_col: z.int(),
        end_col: z.int().describe('Exclusive.'),
        end_row: z.int().optional().describe('If it differs from row.'),
      }),
    ),
  }),
  annotations: readOnly,
  async run(target, { regex }) {
    assertModule(target, 'urls')
    const pattern = regex === undefined ? undefined : await compileUntrustedPattern(regex)
    const urls = (await findUrls(target.terminal.screen.rows(), pattern)).map((found) => ({
      url: found.url,
      row: found.row,
      start_col: found.startColumn,
      end_col: found.endColumn,
      ...(found.endRow !== found.row && { end_row: found.endRow }),
    }))
    return { count: urls.length, urls }
  },
})
