/**
 * Lets Codex answer one question.
 *
 *   repository → session → excerpts of the index → prompt → turn → segments, citations checked
 */
import type { SessionStatus } from '../../api/session.ts'
import { isOver } from '../../api/session.ts'
import type { Thread, TurnStatus } from '../../api/thread.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { asUnavailable, codexUnavailable } from './codex-available.ts'
import { modelIn } from './codex-settings.ts'
import type { Conversations, HeldSession, Owner } from './conversations.ts'
import { followThinking } from './follow-thinking.ts'
import type { AskedRepository } from './asked-repository.ts'
import type { QueryAnswer } from './query-result.ts'
import { toCited, toFoundFiles, toListed } from './query-result.ts'
import { mostSeeds, promptFor } from './question-prompt.ts'
import { segmentsOf } from './segments.ts'

export interface Question {
  readonly repository: AskedRepository
  readonly question: string
  readonly conversationId: string | undefined
  readonly owner: Owner
  /** The correlation of the call that asks, and the event that records the call. */
  readonly correlation: string
  readonly event: string | undefined
  readonly signal: AbortSignal
  /** Called with each thought, and without one while Codex works. */
  onProgress(thought?: string): void
}

export type AskCodex = (request: {
  readonly session: string
  readonly text: string
  readonly caller: string | undefined
  readonly correlation: string
  readonly event: string | undefined
  readonly signal: AbortSignal
  onProgress(message: string): void
}) => Promise<AskedCodex>

export interface AskedCodex {
  readonly status: TurnStatus | 'waiting'
  readonly answer?: string | undefined
  readonly reason?: string | undefined
  /** The cursor of the turn. */
  readonly turn: string
  readonly thread_id?: string | undefined
}

export interface AnsweringThreads {
  read(thread: string, options: { readonly since?: string; readonly signal: AbortSignal }): Promise<Thread>
  onChange(session: string, listener: () => void): () => void
}

export interface AnswerOptions {
  readonly conversations: Conversations
  /** The agent of the caller works through Codex, so its rules apply too. */
  readonly ask: AskCodex
  readonly threads: AnsweringThreads
  readonly statusOf: (session: string) => Promise<SessionStatus>
  readonly signInReason: string
  readonly redact: (text: string) => string
}

export type AnswerQuestion = (question: Question) => Promise<QueryAnswer>

export function createAnswerQuestion(options: AnswerOptions): AnswerQuestion {
  const { conversations, ask, threads, statusOf, signInReason, redact } = options

  async function hold({ repository, conversationId, owner, signal }: Question): Promise<HeldSession> {
    try {
      return await (conversationId === undefined
        ? conversations.begin(repository.view, owner, signal)
        : conversations.reopen(conversationId, repository.view, owner, signal))
    } catch (error) {
      throw asUnavailable(error, redact)
    }
  }

  async function askIn({ record }: HeldSession, text: string, question: Question): Promise<AskedCodex> {
    const { owner, correlation, event, signal, onProgress } = question
    const { id } = record
    await using _ = await followThinking({ threads, session: id, signal, onThought: onProgress })
    try {
      const asked = await ask({
        session: id,
        text,
        caller: owner.session,
        correlation,
        event,
        signal,
        onProgress: () => onProgress(),
      })
      if (asked.status === 'completed') return asked
      throw await whyNot(id, asked)
    } catch (error) {
      if (signal.aborted || !(error instanceof HubError)) throw error
      if (error.message.includes(signInReason)) throw codexUnavailable(signInReason)
      // The end of the session may not be known yet.
      const isUndelivered = error.data?.['delivered'] === false
      if (isUndelivered || isOver(await statusOf(id))) throw codexUnavailable(redact(error.message))
      throw error
    }
  }

  async function whyNot(session: string, { status, reason = 'it does not say why' }: AskedCodex): Promise<Error> {
    switch (status) {
      case 'waiting':
        return new HubError('conflict', `${reason} No person answers here: ask in other words.`)
      case 'interrupted':
        if (!isOver(await statusOf(session))) {
          return new HubError('conflict', 'A person or a rule stopped Codex before it had answered.')
        }
        return codexUnavailable(`Codex ended before it had answered: ${redact(reason)}`)
      case 'failed':
      case 'completed':
        return codexUnavailable(`Codex did not answer: ${redact(reason)}`)
    }
  }

  async function answer(held: HeldSession, question: Question): Promise<QueryAnswer> {
    const { repository, signal } = question
    const { view } = repository
    const seeds = await repository.search(question.question, mostSeeds, signal)
    const prompt = promptFor({ repository: view.name, question: question.question, seeds })
    const asked = await askIn(held, prompt, question)
    const { thread_id: conversationId } = asked
    if (conversationId === undefined) throw codexUnavailable('Codex has left no record of its answer.')
    const { events } = await threads.read(conversationId, { since: asked.turn, signal })
    const { text, citations, checked } = await repository.check(asked.answer ?? '')
    question.onProgress(text)
    const { id, name, hostPath, containerPath } = toListed(view)
    return {
      conversationId,
      modelId: modelIn(held.record.agentArgs),
      repository: { id, name, hostPath, containerPath },
      segments: [
        { type: 'vector_summary', files: toFoundFiles(seeds, view) },
        ...segmentsOf(events, view),
        { type: 'answer', text },
      ],
      citations: citations.map((citation) => toCited(citation, view)),
      checked,
    }
  }

  return async (question) => {
    using held = await hold(question)
    try {
      return await answer(held, question)
    } catch (error) {
      // The caller does not know the conversation, so it cannot come back to it.
      if (held.isNew) await held.end()
      throw error instanceof Error ? error : new Error(messageOf(error))
    }
  }
}
