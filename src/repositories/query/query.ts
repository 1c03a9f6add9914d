/**
 * Questions about repositories, on a port of their own: two tools, answered by Codex in sessions of this hub.
 *
 *   call → is Codex there? → gate, if an agent calls → limits → replay → session of Codex → checked answer
 */
import type { Log } from '../../base/log.ts'
import type { Config } from '../../config/config.ts'
import type { Feature } from '../../feature/feature.ts'
import type { Layer, Provider } from '../../mcp/mcp.ts'
import type { AnswerOptions } from './answer-question.ts'
import { createAnswerQuestion } from './answer-question.ts'
import type { VisibleRepositories } from './asked-repository.ts'
import type { CodexAvailabilityOptions } from './codex-available.ts'
import { createCodexAvailability } from './codex-available.ts'
import type { AnsweringSettings } from './codex-settings.ts'
import type { AnsweringSessions, ConversationThreads } from './conversations.ts'
import { createConversations } from './conversations.ts'
import { createQueryLimits } from './query-limits.ts'
import type { QueryAnswer } from './query-result.ts'
import { createQueryProvider } from './query-tools.ts'
import { createReplays } from './replays.ts'

export type { VisibleRepositories } from './asked-repository.ts'
export { answeredRepository } from './conversations.ts'

export interface RepositoryQueries extends Feature {
  /** The two tools, as a person has them, or the agent of a session. */
  providerFor(session: string | undefined): Provider
  /** Throws `CODEX_UNAVAILABLE`, for a list of the tools. */
  assertAvailable(): Promise<void>
  /** The same around each call of a tool. */
  readonly layer: Layer
}

export interface RepositoryQueriesOptions
  extends Omit<AnswerOptions, 'conversations' | 'statusOf' | 'threads'>, CodexAvailabilityOptions {
  readonly settings: AnsweringSettings & Pick<Config, 'repositoryMaxQueries' | 'repositoryQueriesPerMinute'>
  readonly sessions: AnsweringSessions
  readonly threads: AnswerOptions['threads'] & ConversationThreads
  /** Those that a person may ask about, or the agent of a session. */
  readonly visibleTo: (session: string | undefined) => VisibleRepositories
  readonly log: Log
}

const lookForIdleMs = 30_000

export function createRepositoryQueries(options: RepositoryQueriesOptions): RepositoryQueries {
  const { settings, sessions, threads, log, visibleTo } = options
  const conversations = createConversations({ sessions, threads, settings, log })
  const availability = createCodexAvailability(options)
  const answer = createAnswerQuestion({
    ...options,
    conversations,
    statusOf: async (session) => (await sessions.find(session)).status,
  })
  const limits = createQueryLimits({
    atOnce: settings.repositoryMaxQueries,
    perMinute: settings.repositoryQueriesPerMinute,
  })
  const replays = createReplays<QueryAnswer>()
  const isReadOnly = settings.repositorySandbox === 'read-only'

  return {
    providerFor: (session) =>
      createQueryProvider({ session, repositories: visibleTo(session), answer, limits, replays, isReadOnly }),
    assertAvailable: () => availability.assert(),
    async layer(operation, call, next) {
      if (operation.kind === 'tool') await availability.assert()
      return next()
    },
    sweeps: [{ everyMs: lookForIdleMs, run: () => conversations.endIdle() }],
  }
}
