/** screenshot, save_screenshot */
import { z } from 'zod'
import { drawScreen } from '../terminal/terminal.ts'
import { defineTerminalTool, readOnly, writing } from './terminal-tool.ts'
import { findWorkspace, writeInside } from './workspace-file.ts'

export const screenshot = defineTerminalTool({
  name: 'screenshot',
  description: 'A picture of the visible screen (PNG).',
  input: {},
  output: z.object({ png: z.instanceof(Buffer) }),
  annotations: readOnly,
  present: ({ png }) => ({
    content: [{ type: 'image', data: png.toString('base64'), mimeType: 'image/png' }],
  }),
  run: async ({ terminal }) => ({ png: await drawScreen(terminal.screen) }),
})

export const saveScreenshot = defineTerminalTool({
  name: 'save_screenshot',
  description: 'Writes a picture of the visible screen (PNG) to a file in the workspace.',
  input: { path: z.string().min(1).max(4096).describe('Inside the workspace; relative or absolute.') },
  output: z.object({ success: z.boolean(), path: z.string(), bytes: z.int() }),
  annotations: writing({ destructive: true, idempotent: false }),
  async run({ terminal, workspacePath, workspaceFolder }, { path }) {
    const folder = workspaceFolder ?? findWorkspace(workspacePath)
    const png = await drawScreen(terminal.screen)
    return { success: true, path: await writeInside(folder, path, png), bytes: png.length }
  },
})
