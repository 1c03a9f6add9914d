/** The changes in the workspace of a session, and the files in it. */
import { z } from 'zod'

/** `untracked`: new, and git does not know it yet. */
const changeStatuses = ['added', 'modified', 'deleted', 'untracked'] as const
export type ChangeStatus = (typeof changeStatuses)[number]

/** Why a change has no diff. `limit`: the answer is full; name the path to read it. */
const omissions = ['binary', 'too-large', 'limit', 'repository', 'unreadable'] as const
export type Omission = (typeof omissions)[number]

const fileChangeSchema = z.object({
  path: z.string().describe('Relative to the workspace.'),
  status: z.enum(changeStatuses),
  additions: z.int().describe('Lines. 0 without a diff.'),
  deletions: z.int(),
  diff: z.string().optional().describe('Unified, with three lines around each change.'),
  omitted: z.enum(omissions).optional().describe('Why there is no diff.'),
})
export type FileChange = z.output<typeof fileChangeSchema>

export const changesSchema = z.object({
  session: z.string(),
  workspace_path: z.string(),
  branch: z.string().optional(),
  base: z
    .object({ commit: z.string(), subject: z.string() })
    .optional()
    .describe('The branch point: the last commit before the session. Absent if there was none.'),
  files: z.array(fileChangeSchema),
  more_files: z.int().optional().describe('How many changed files are not listed.'),
  additions: z.int(),
  deletions: z.int(),
  suggested_message: z.string().optional().describe('For a commit of the changes.'),
  reason: z.string().optional().describe('Why changes cannot be listed.'),
})
export type Changes = z.output<typeof changesSchema>

export const workspaceEntrySchema = z.object({
  name: z.string(),
  path: z.string().describe('Relative to the workspace.'),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  bytes: z.int().optional().describe('Of a file.'),
})
export type WorkspaceEntry = z.output<typeof workspaceEntrySchema>

export const workspaceFileSchema = z.object({
  path: z.string(),
  bytes: z.int(),
  text: z.string().optional().describe('Absent if it is binary or too large.'),
  omitted: z.enum(omissions).optional(),
  first_line: z.int().describe('The number of the first line in the text.'),
  total_lines: z.int().optional(),
})
export type WorkspaceFile = z.output<typeof workspaceFileSchema>
