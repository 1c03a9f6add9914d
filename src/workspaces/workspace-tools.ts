/** read_changes, list_files, read_file, discard_changes */
import { z } from 'zod'
import { changesSchema, workspaceEntrySchema, workspaceFileSchema } from '../api/changes.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import { discardChanges } from './discard-changes.ts'
import { listFiles, pathInside, readFile } from './files.ts'
import { readChanges } from './read-changes.ts'
import type { Workspace } from './workspace.ts'

export interface WorkspaceToolsOptions {
  open(session: string, signal: AbortSignal): Promise<Workspace>
  lastPromptOf(sessionId: string): Promise<string | undefined>
}

const session = z.string().min(1).max(200).describe('Name or id.')
const path = z.string().max(4_096).describe('Relative to the workspace.')
const reads = { readOnlyHint: true, openWorldHint: false }

export function createWorkspaceProvider({ open, lastPromptOf }: WorkspaceToolsOptions): Provider {
  const tools = [
    defineTool({
      name: 'read_changes',
      description:
        'What changed in the workspace of a session since its branch point: committed or not, and new files. Each file has a unified diff.',
      input: z.strictObject({ session, path: path.optional().describe('Only this file, with its whole diff.') }),
      output: changesSchema,
      annotations: reads,
      async run(args, { signal }) {
        const workspace = await open(args.session, signal)
        return readChanges(workspace, {
          path: args.path === undefined ? undefined : pathInside(args.path),
          lastPrompt: () => lastPromptOf(workspace.session.id),
        })
      },
    }),
    defineTool({
      name: 'list_files',
      description: 'The files and folders in one folder of the workspace of a session.',
      input: z.strictObject({
        session,
        path: path.default('').describe('A folder. Without it, the workspace itself.'),
      }),
      output: z.object({ entries: z.array(workspaceEntrySchema), more_entries: z.int().optional() }),
      annotations: reads,
      run: async (args, { signal }) => listFiles((await open(args.session, signal)).folder, args.path),
    }),
    defineTool({
      name: 'read_file',
      description: 'The text of a file in the workspace of a session.',
      input: z.strictObject({
        session,
        path,
        first_line: z.int().min(1).default(1),
        lines: z.int().min(1).max(20_000).default(5_000),
      }),
      output: workspaceFileSchema,
      annotations: reads,
      run: async (args, { signal }) =>
        readFile((await open(args.session, signal)).folder, args.path, {
          firstLine: args.first_line,
          lines: args.lines,
        }),
    }),
    defineTool({
      name: 'discard_changes',
      description:
        'Makes one file of the workspace as it was at the branch point, and removes a new one. Its present content is lost. Commits stay.',
      input: z.strictObject({ session, path }),
      output: z.object({ path: z.string(), status: z.string().describe('What had changed.') }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      run: async (args, { signal }) => ({ ...(await discardChanges(await open(args.session, signal), args.path)) }),
    }),
  ]
  return { toolset: 'agents', tools: () => tools }
}
