/** The tools of the answering model: search, symbol, grep, read and list, on the index of one repository. */
import { z } from 'zod'
import type { Hit } from '../api/repository.ts'
import { HubError } from '../base/hub-error.ts'
import { plainIssue } from '../base/plain-issue.ts'
import type { ModelCall, ModelTool } from '../models/models.ts'
import { readInput } from '../models/models.ts'
import { hitText, numbered } from './answer-prompt.ts'
import { assertInnerPath, readLines } from './read-lines.ts'
import type { IndexedContent } from './repository.ts'

export interface ToolResult {
  readonly text: string
  readonly isError: boolean
  /** The results of a search. */
  readonly found?: { readonly query: string; readonly hits: readonly Hit[] }
}

const hitsOfSearch = 8
const linesOfGrep = 40
const pathsOfList = 200
const linesOfRead = 400

const path = z.string().max(1_000).optional().describe('A glob, such as src/**/*.ts.')

interface AnswerTool {
  readonly description: string
  readonly input: z.ZodObject
  run(content: IndexedContent, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolResult>
}

function tool<Input extends z.ZodObject>(
  description: string,
  input: Input,
  run: (content: IndexedContent, args: z.output<Input>, signal: AbortSignal) => Promise<ToolResult>,
): AnswerTool {
  return { description, input, run: (content, args, signal) => run(content, args as z.output<Input>, signal) }
}

const tools: Readonly<Record<string, AnswerTool>> = {
  search: tool(
    'Finds code and text by words, best first.',
    z.strictObject({ query: z.string().min(1).max(2_000), path }),
    async (content, { query, path: glob }, signal) =>
      foundText(query, await content.search({ query, path: glob, limit: hitsOfSearch }, signal)),
  ),
  symbol: tool(
    'Finds definitions by name.',
    z.strictObject({ name: z.string().min(1).max(500), path }),
    async (content, { name, path: glob }, signal) =>
      foundText(name, await content.search({ query: name, mode: 'symbol', path: glob, limit: hitsOfSearch }, signal)),
  ),
  grep: tool(
    'Finds lines by a regular expression.',
    z.strictObject({ pattern: z.string().min(1).max(1_000), path }),
    async (content, { pattern, path: glob }, signal) =>
      foundText(
        pattern,
        await content.search({ query: pattern, mode: 'regex', path: glob, limit: linesOfGrep }, signal),
      ),
  ),
  read: tool(
    `Reads lines of a file, at most ${linesOfRead} at once.`,
    z.strictObject({
      path: z.string().min(1).max(4_096),
      start: z.int().min(1).optional(),
      end: z.int().min(1).optional(),
    }),
    async (content, { path: file, start = 1, end }) => {
      assertInnerPath(file)
      const last = Math.min(end ?? Infinity, start + linesOfRead - 1)
      const lines = await readLines(content, { path: file, start, end: last })
      const head = `${file}:${lines.start_line}-${lines.end_line} of ${lines.total_lines} lines`
      return { text: `${head}\n${numbered(lines.text, lines.start_line)}`, isError: false }
    },
  ),
  list: tool('Lists paths.', z.strictObject({ path }), async (content, { path: glob }) => {
    const paths = await content.list(glob, pathsOfList + 1)
    const more = paths.length > pathsOfList ? ['… and more. Give a narrower glob.'] : []
    return { text: [...paths.slice(0, pathsOfList), ...more].join('\n') || 'No file matches.', isError: false }
  }),
}

export const answerTools: readonly ModelTool[] = Object.entries(tools).map(([name, { description, input }]) => {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input)
  return { name, description, inputSchema }
})

/** A mistake of the model becomes a result that says what would work. */
export async function callAnswerTool(
  content: IndexedContent,
  { name, input }: ModelCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const called = tools[name]
  if (!called) return failed(`There is no tool "${name}". There are: ${Object.keys(tools).join(', ')}.`)
  const args = called.input.safeParse(readInput(input) ?? {}, { error: plainIssue })
  if (!args.success)
    return failed(args.error.issues.map(({ message, path: at }) => `${at.join('.')}: ${message}`).join('; '))
  try {
    return await called.run(content, args.data, signal)
  } catch (error) {
    if (error instanceof HubError) return failed(error.message)
    throw error
  }
}

function foundText(query: string, hits: readonly Hit[]): ToolResult {
  return { text: hits.map(hitText).join('\n\n') || 'Nothing was found.', isError: false, found: { query, hits } }
}

function failed(text: string): ToolResult {
  return { text, isError: true }
}
