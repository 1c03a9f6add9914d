/** Repositories that answer questions: what is indexed, what a search finds, what an answer cites. */
import { z } from 'zod'
import { usageSchema } from './thread.ts'

export const searchModes = ['lexical', 'symbol', 'regex'] as const
export type SearchMode = (typeof searchModes)[number]

/** How far the index is. `ready` while it is refreshed too: the last complete index answers until the next is done. */
export const indexStates = ['empty', 'indexing', 'ready', 'failed'] as const

/** A part of a repository that could not be read. */
export const unreadPartSchema = z.object({ path: z.string(), reason: z.string() })
export type UnreadPart = z.output<typeof unreadPartSchema>

export const indexStatusSchema = z.object({
  is: z.enum(indexStates),
  commit: z.string().optional().describe('The commit that was checked out, or that `ref` named, when it was indexed.'),
  branch: z.string().optional(),
  files: z.int(),
  chunks: z.int(),
  bytes: z.int().describe('The size of the indexed files.'),
  skipped: z.int().describe('Files left out: too large, binary, or unreadable.'),
  unread: z
    .array(unreadPartSchema)
    .optional()
    .describe('Submodules and clones below it that could not be read. What was indexed of them before is still there.'),
  behind: z.int().optional().describe('Files that changed since. Absent: not known yet.'),
  indexed_at: z.string().optional(),
  last_error: z.string().optional(),
  progress: z.object({ done: z.int(), total: z.int() }).optional().describe('While it is indexed.'),
})
export type IndexStatus = z.output<typeof indexStatusSchema>

/** The template of all sessions that answer the questions of the repository port. */
export const answeringTemplate = 'repository-answer'

export const repositoryNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const repositorySchema = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string().describe('The folder, as the hub sees it.'),
  host_path: z.string().describe('The same folder as the host sees it, if SIGNALBOX_REPOSITORY_PATH_MAP says so.'),
  ref: z.string().optional().describe('The branch, tag or commit that is indexed. Absent: the working tree.'),
  added_at: z.string(),
  index: indexStatusSchema,
})
export type RepositoryView = z.output<typeof repositorySchema>

export const hitSchema = z.object({
  repository: z.string(),
  path: z.string().describe('Relative to the root of the repository.'),
  start_line: z.int(),
  end_line: z.int(),
  symbol: z.string().optional().describe('With its parents, such as `Session.start`.'),
  kind: z.string().optional(),
  score: z.number(),
  text: z.string(),
})
export type Hit = z.output<typeof hitSchema>

export const citationSchema = z.object({
  repository: z.string(),
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  host_path: z.string().describe('The absolute path of the file on the host.'),
  symbol: z.string().optional(),
  text: z.string().optional().describe('The cited lines, as they were indexed.'),
})
export type Citation = z.output<typeof citationSchema>

export const fileLinesSchema = z.object({
  repository: z.string(),
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  total_lines: z.int(),
  text: z.string().describe('As it was indexed.'),
})

/** How an answer came about, in order. Searches are summed up by file. */
export const answerSegmentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thinking'), text: z.string() }),
  z.object({
    type: z.literal('vector_summary'),
    query: z.string(),
    files: z.array(
      z.object({ path: z.string(), match: z.number().describe('The best score.'), chunks: z.int(), lines: z.int() }),
    ),
  }),
  z.object({ type: z.literal('answer'), text: z.string() }),
])
export type AnswerSegment = z.output<typeof answerSegmentSchema>

export const checkedSchema = z.object({
  kept: z.int(),
  repaired: z.int().describe('Citations whose path or lines were wrong, and could be put right.'),
  dropped: z.int().describe('Citations that were wrong, and are gone from the text.'),
})
export type CheckedCounts = z.output<typeof checkedSchema>

export const answerSchema = z.object({
  repository: z.string(),
  answer: z.string(),
  citations: z.array(citationSchema),
  checked: checkedSchema.describe('Every citation was compared with the index.'),
  segments: z.array(answerSegmentSchema),
  provider: z.string().optional().describe('Absent: no model is configured, and the citations are ranked matches.'),
  model: z.string().optional(),
  usage: usageSchema.optional(),
})
export type RepositoryAnswer = z.output<typeof answerSchema>
