/** list_detected_urls */
import { z } from 'zod'
import { compilePattern, findUrls } from '../terminal/terminal.ts'
import { assertModule } from './subject.ts'
import { defineTerminalTool, readOnly } from './terminal-tool.ts'

export const listDetectedUrls = defineTerminalTool({
  name: 'list_detected_urls',
  description: 'The addresses on the visible screen, with their columns. One that goes over several rows is whole.',
  input: { regex: z.string().optional().describe('What an address is (RE2); usually http, https, ftp and file.') },
  output: z.object({
    count: z.int(),
    urls: z.array(
      z.object({
        url: z.string(),
        row: z.int(),
        start_col: z.int(),
        end_col: z.int().describe('Behind it.'),
        end_row: z.int().optional().describe('Where that is another row.'),
      }),
    ),
  }),
  annotations: readOnly,
  async run(subject, { regex }) {
    assertModule(subject, 'urls')
    const pattern = regex === undefined ? undefined : await compilePattern(regex, { ignoreCase: false })
    const urls = findUrls(subject.terminal.screen.rows(), pattern).map((found) => ({
      url: found.url,
      row: found.row,
      start_col: found.startColumn,
      end_col: found.endColumn,
      ...(found.endRow !== found.row && { end_row: found.endRow }),
    }))
    return { count: urls.length, urls }
  },
})
