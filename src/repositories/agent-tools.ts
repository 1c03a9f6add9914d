/**
 * The `repositories` mount of an agent: those that its template names, and its own workspace. It reads only. These
 * definitions are part of every request that the agent sends to its model, so they are short.
 */
import { z } from 'zod'
import { answerSchema, fileLinesSchema, indexStates, searchModes } from '../api/repository.ts'
import { HubError } from '../base/hub-error.ts'
import type { Provider } from '../mcp/mcp.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { RepositoryActions, RepositoryRecord } from './repository.ts'
import { askOf, foundSchema, mostHits, question, waitOf } from './repository-tools.ts'
import { searchAll } from './search-all.ts'
import type { SessionRepositories } from './session-repositories.ts'

const repository = z.string().optional()
const reads = { readOnlyHint: true }
const isLimit = (limit: number) => limit >= 1 && limit <= mostHits

export interface AgentToolsOptions {
  readonly repositories: RepositoryActions
  /** The id of the session. */
  readonly session: string
  readonly own: SessionRepositories
}

export function createAgentProvider({ repositories, session, own }: AgentToolsOptions): Provider {
  async function findOne(identifier: string | undefined): Promise<RepositoryRecord> {
    const { records } = await own.list()
    const [only, ...others] = identifier === undefined ? records : await own.find(identifier)
    if (only && others.length === 0) return only
    throw new HubError('invalid', `Give "repository": ${namesOf(records)}.`)
  }

  const tools = [
    defineTool({
      name: 'repositories_list',
      description: 'The repositories you can search.',
      input: z.strictObject({}),
      output: z.object({
        repositories: z.array(
          z.object({
            name: z.string(),
            index: z.enum(indexStates),
            files: z.int(),
            unread: z.array(z.string()).optional().describe('Its parts that could not be read.'),
          }),
        ),
        missing: z.array(z.string()).optional().describe('Named by the template, but not there.'),
      }),
      annotations: reads,
      async run() {
        const { records, missing } = await own.list()
        const described = await Promise.all(records.map((record) => repositories.describe(record)))
        return {
          repositories: described.map(({ name, index: { is, files, unread } }) => ({
            name,
            index: is,
            files,
            ...(unread && { unread: unread.map(({ path }) => path) }),
          })),
          ...(missing.length > 0 && { missing: [...missing] }),
        }
      },
    }),
    defineTool({
      name: 'repositories_search',
      description: 'Searches code, best first.',
      input: z.strictObject({
        query: z.string().min(1).max(2_000),
        repository,
        mode: z.enum(searchModes).default('lexical'),
        path: z.string().max(1_000).optional().describe('A glob.'),
        limit: z.int().refine(isLimit, `give a number from 1 to ${mostHits}`).default(10),
      }),
      output: foundSchema,
      annotations: reads,
      async run({ repository: identifier, ...request }, call) {
        const records = identifier === undefined ? (await own.list()).records : [await findOne(identifier)]
        await own.freshen(records, waitOf(call))
        return searchAll(repositories, records, request, waitOf(call))
      },
    }),
    defineTool({
      name: 'repositories_read',
      description: 'Reads lines of a file.',
      input: z.strictObject({
        path: z.string().max(4_096),
        repository,
        start: z.int().optional(),
        end: z.int().optional(),
      }),
      output: fileLinesSchema,
      annotations: reads,
      async run({ repository: identifier, path, start = 1, end }, call) {
        if (start < 1) throw new HubError('invalid', '"start": lines begin with 1.')
        const record = await findOne(identifier)
        await own.freshen([record], waitOf(call))
        return { repository: record.name, ...(await repositories.read(record, { path, start, end }, waitOf(call))) }
      },
    }),
    defineTool({
      name: 'repositories_ask',
      description: 'Answers a question, with checked citations.',
      input: z.strictObject({ question, repository }),
      output: answerSchema,
      annotations: reads,
      async run({ repository: identifier, question: text }, call) {
        const record = await findOne(identifier)
        await own.freshen([record], waitOf(call))
        const { place, ...options } = askOf(call)
        return repositories.ask(record, { question: text, ...options, place: { ...place, session } })
      },
    }),
  ]

  return {
    toolset: 'repositories',
    // Every list is sent to a model, so a session without repositories does not get these tools.
    tools: () => (own.hasAny() ? tools : []),
    waitForStart: () => own.loading(),
  }
}

function namesOf(records: readonly RepositoryRecord[]): string {
  return records.map(({ name }) => `"${name}"`).join(' or ') || 'this session has none'
}
