/** `ListRepositories` and `QueryRepository`, for a person or for the agent of one session. */
import { z } from 'zod'
import type { RepositoryView } from '../../api/repository.ts'
import { HubError } from '../../base/hub-error.ts'
import type { Call, CallToolResult, Params, Provider, Tool } from '../../mcp/mcp.ts'
import { defineTool } from '../../mcp/mcp.ts'
import type { AnswerQuestion } from './answer-question.ts'
import type { VisibleRepositories } from './asked-repository.ts'
import type { QueryLimits } from './query-limits.ts'
import type { QueryAnswer } from './query-result.ts'
import { toListed } from './query-result.ts'
import type { Replays } from './replays.ts'

export interface QueryToolsOptions {
  readonly repositories: VisibleRepositories
  /** The session whose agent calls. `undefined`: a person does. */
  readonly session: string | undefined
  readonly answer: AnswerQuestion
  readonly limits: QueryLimits
  readonly replays: Replays<QueryAnswer>
  /** The sandbox of Codex lets it change nothing. */
  readonly isReadOnly: boolean
}

/** Longer than any question. Longer material belongs in the repository. */
const longestQuestion = 100_000
/** Shorter than the time that clients wait for an answer by default, which is a minute. */
const joinMs = 45_000

const reads = { readOnlyHint: true, openWorldHint: false }

/** One text block: some clients refuse other content. */
function asText(result: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(result) }] }
}

const queryInput = z.strictObject({
  repository: z.string().min(1).max(4_096).describe('Its id, its name, or its path on the host or in the container.'),
  question: z.string().min(1).max(longestQuestion),
  conversationId: z.string().max(100).optional().describe('Of an earlier answer, to ask further.'),
  replayId: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'it has letters, digits, ".", "_", ":" and "-", at most 128')
    .optional()
    .describe('Choose one for each question. If you gave up waiting, ask again with the same one.'),
})

export function createQueryProvider(options: QueryToolsOptions): Provider {
  const { repositories, session, answer, limits, replays, isReadOnly } = options

  async function ask(
    { repository: identifier, question, conversationId }: z.output<typeof queryInput>,
    call: Call,
    signal: AbortSignal,
  ): Promise<QueryAnswer> {
    using _ = limits.enter(call.caller.tokenId)
    const repository = await repositories.find(identifier)
    assertIndexed(repository.view)
    let step = 0
    return await answer({
      repository,
      question,
      conversationId,
      owner: { session },
      correlation: call.correlation,
      event: call.event,
      signal,
      onProgress: (message) => call.progress({ progress: ++step, ...(message !== undefined && { message }) }),
    })
  }

  const list = defineTool({
    name: 'ListRepositories',
    description: 'The repositories that QueryRepository answers questions about.',
    input: z.strictObject({}),
    output: z.looseObject({}),
    annotations: reads,
    present: asText,
    run: async () => ({ repositories: (await repositories.list()).map(toListed) }),
  })
  const query = defineTool({
    name: 'QueryRepository',
    description:
      'Finds the answer to a question in a repository, with citations of the lines it rests on. It retrieves: reason about the answer yourself.',
    input: queryInput,
    output: z.looseObject({}),
    // Clients without a person, such as "codex exec", only call tools that say so.
    annotations: isReadOnly ? reads : { readOnlyHint: false, openWorldHint: false },
    present: asText,
    async run(args, call) {
      const { replayId } = args
      if (replayId === undefined) return { ...(await ask(args, call, call.signal)) }
      const { repository, question, conversationId } = args
      const replay = replays.ask(
        { token: call.caller.tokenId, replayId, content: [repository, question, conversationId] },
        // The work continues if the client leaves, since the client may come back.
        () => ask(args, call, new AbortController().signal),
      )
      const found = await (replay.isRepeated ? within(joinMs, replay.answer, call.signal) : replay.answer)
      if (found) return { ...found, replay: { replayId, status: 'completed' } }
      const unanswered = {
        conversationId: conversationId ?? null,
        segments: [{ type: 'answer', text: '' }],
        citations: [],
      }
      return { ...unanswered, replay: { replayId, status: 'in_progress' } }
    },
  })

  /** Replaces the identifier with the name, so that a rule about a repository applies under each of its names. */
  async function prepare(args: Params): Promise<Params> {
    const { repository } = args
    if (typeof repository !== 'string') return args
    try {
      return { ...args, repository: (await repositories.find(repository)).view.name }
    } catch (error) {
      // The tool itself says what is wrong.
      if (error instanceof HubError) return args
      throw error
    }
  }

  const tools: readonly Tool[] = [
    { ...list, subject: { tool: 'repositories_list' } },
    { ...query, subject: { tool: 'repositories_ask' }, prepare },
  ]
  return { toolset: 'repositories', tools: () => tools }
}

function assertIndexed({ name, index }: RepositoryView): void {
  const { is, indexed_at: indexedAt, last_error: error } = index
  if (is === 'ready' || indexedAt !== undefined) return
  const why =
    is === 'indexing' ? 'is being indexed' : error === undefined ? 'is not indexed yet' : `is not indexed: ${error}`
  throw new HubError('unavailable', `"${name}" ${why}. Ask again when ListRepositories says that it is indexed.`)
}

/** `undefined`: the time is up first. */
async function within<Result>(ms: number, result: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, ms)
  const leave = () => resolve(undefined)
  signal.addEventListener('abort', leave)
  try {
    return await Promise.race([result, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}
