/** The tools of people: add_repository, list_repositories, list_repository_files, and refresh, remove, search, read and ask. */
import { z } from 'zod'
import {
  answerSchema,
  fileLinesSchema,
  hitSchema,
  repositoryNamePattern,
  repositorySchema,
  searchModes,
} from '../api/repository.ts'
import { HubError } from '../base/hub-error.ts'
import type { Call, Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { WaitOptions } from './kept-indexes.ts'
import type { AnswerFrame, RepositoryActions } from './repository.ts'
import { searchAll } from './search-all.ts'

/** Most repositories are indexed by then. For a larger one the call answers before the index is complete. */
const waitForIndexMs = 10_000
export const mostHits = 100
const mostFiles = 10_000

const repository = z.string().min(1).max(4_096).describe('Id, name or path.')
export const question = z.string().min(1).max(10_000)
const reads = { readOnlyHint: true, openWorldHint: false }

export const foundSchema = z.object({
  hits: z.array(hitSchema),
  unsearched: z
    .array(z.object({ repository: z.string(), reason: z.string() }))
    .optional()
    .describe('Repositories that could not be searched.'),
})

export function createRepositoryProvider(repositories: RepositoryActions): Provider {
  const tools = [
    defineTool({
      name: 'add_repository',
      description:
        'Indexes a folder, so that it can be searched and asked about. Answers after ten seconds at the latest; a larger folder is indexed in the background. The index follows the working tree, or a ref.',
      input: z.strictObject({
        path: z.string().min(1).max(4_096).describe('Absolute, as the hub or the host sees it.'),
        name: z
          .string()
          .regex(repositoryNamePattern, 'a name has at most 64 letters, digits, ".", "_" and "-", such as "my-api"')
          .optional()
          .describe('Default: the name of the folder.'),
        ref: z
          .string()
          .max(200)
          .regex(/^[^-\s][^\s]*$/, 'give a branch, a tag or a commit')
          .optional()
          .describe('A branch, tag or commit to index instead of the working tree.'),
      }),
      output: repositorySchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      async run(request, call) {
        const record = await repositories.add(request)
        const inTime = AbortSignal.any([call.signal, AbortSignal.timeout(waitForIndexMs)])
        // The status says whether it has failed.
        await repositories.refresh(record, { ...waitOf(call), signal: inTime }).catch(() => {})
        call.signal.throwIfAborted()
        return repositories.describe(record)
      },
    }),
    defineTool({
      name: 'list_repositories',
      description: 'The repositories, and how far the index of each one is.',
      input: z.strictObject({}),
      output: z.object({ repositories: z.array(repositorySchema) }),
      annotations: reads,
      async run() {
        const records = await repositories.list()
        return { repositories: await Promise.all(records.map((record) => repositories.describe(record))) }
      },
    }),
    defineTool({
      name: 'refresh_repository',
      description: 'Brings the index of a repository up to date, and answers when it is.',
      input: z.strictObject({ repository }),
      output: repositorySchema,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      async run({ repository: identifier }, call) {
        const record = await repositories.find(identifier)
        await repositories.refresh(record, waitOf(call))
        return repositories.describe(record)
      },
    }),
    defineTool({
      name: 'remove_repository',
      description: 'Removes a repository and its index. The folder stays as it is.',
      input: z.strictObject({ repository }),
      output: z.object({ id: z.string(), name: z.string() }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
      async run({ repository: identifier }) {
        const record = await repositories.find(identifier)
        await repositories.remove(record)
        return { id: record.id, name: record.name }
      },
    }),
    defineTool({
      name: 'search_repository',
      description:
        'Searches a repository, or all of them: lexical (words and identifiers, best first), symbol (definitions by name), or regex.',
      input: z.strictObject({
        repository: repository.optional(),
        query: z.string().min(1).max(2_000),
        mode: z.enum(searchModes).default('lexical'),
        path: z.string().min(1).max(1_000).optional().describe('A glob over paths, such as src/**/*.ts.'),
        limit: z.int().min(1).max(mostHits).default(10),
      }),
      output: foundSchema,
      annotations: reads,
      async run({ repository: identifier, ...request }, call) {
        const records = identifier === undefined ? await repositories.list() : [await repositories.find(identifier)]
        if (records.length === 0) {
          throw new HubError(
            'not-found',
            'There are no repositories yet. Call add_repository with the path of a folder.',
          )
        }
        return searchAll(repositories, records, request, waitOf(call))
      },
    }),
    defineTool({
      name: 'read_repository',
      description: 'Reads a file of a repository as it was indexed, whole or some lines.',
      input: z.strictObject({
        repository,
        path: z.string().min(1).max(4_096).describe('Relative to the root.'),
        start: z.int().min(1).optional().describe('The first line.'),
        end: z.int().min(1).optional(),
      }),
      output: fileLinesSchema,
      annotations: reads,
      async run({ repository: identifier, ...request }, call) {
        const record = await repositories.find(identifier)
        return { repository: record.name, ...(await repositories.read(record, request, waitOf(call))) }
      },
    }),
    defineTool({
      name: 'list_repository_files',
      description: 'Lists the files of a repository that are indexed, by path.',
      input: z.strictObject({
        repository,
        path: z.string().min(1).max(1_000).optional().describe('A glob over paths, such as src/**/*.ts.'),
        limit: z.int().min(1).max(mostFiles).default(1_000),
      }),
      output: z.object({ files: z.array(z.string()), has_more: z.boolean() }),
      annotations: reads,
      async run({ repository: identifier, path, limit }, call) {
        const content = await repositories.contentOf(await repositories.find(identifier), waitOf(call))
        const files = await content.list(path, limit + 1)
        return { files: files.slice(0, limit), has_more: files.length > limit }
      },
    }),
    defineTool({
      name: 'ask_repository',
      description:
        'Answers a question about a repository, with citations that were compared with its index. A model searches and reads; without one the answer is a ranked list of places.',
      input: z.strictObject({
        repository,
        question,
        model: z.string().min(1).max(200).optional().describe('As provider/model. Default: the model of the hub.'),
      }),
      output: answerSchema,
      annotations: reads,
      async run({ repository: identifier, ...request }, call) {
        return repositories.ask(await repositories.find(identifier), { ...request, ...askOf(call) })
      },
    }),
  ]
  return { toolset: 'repositories', tools: () => tools }
}

/** The answer streams as progress: `thinking: …` and `final: …`, each with the next piece of text. */
export function askOf(call: Pick<Call, 'signal' | 'progress' | 'correlation' | 'event'>) {
  let pieces = 0
  return {
    ...waitOf(call),
    place: { correlation: call.correlation, ...(call.event !== undefined && { parent: call.event }) },
    onFrame: ({ type, text }: AnswerFrame) => call.progress({ progress: ++pieces, message: `${type}: ${text}` }),
  }
}

/** A call that waits for an index reports how far that is. */
export function waitOf(call: Pick<Call, 'signal' | 'progress'>): WaitOptions & { readonly signal: AbortSignal } {
  return {
    signal: call.signal,
    onProgress: ({ done, total }) =>
      call.progress({ progress: done, total, message: `indexed ${done} of ${total} files` }),
  }
}
