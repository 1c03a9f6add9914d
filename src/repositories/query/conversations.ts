/**
 * The sessions in which Codex answers, one for each conversation. A session stays for a while after its answer, so that
 * the next question finds it. Later questions resume the conversation in a new session.
 *
 *   begin or reopen → hold → answer → release → idle → ended → reopen …
 */
import { randomBytes } from 'node:crypto'
import { answeringTemplate, type RepositoryView } from '../../api/repository.ts'
import type { Activity, SessionStatus } from '../../api/session.ts'
import { isOver } from '../../api/session.ts'
import { HubError, isNotFound, messageOf } from '../../base/hub-error.ts'
import type { Log } from '../../base/log.ts'
import { createSerial } from '../../base/serial.ts'
import type { AnsweringSettings } from './codex-settings.ts'
import { answeringPolicy, codexFlags } from './codex-settings.ts'

/** The part of a session record that this folder needs. */
export interface AnsweringRecord {
  readonly id: string
  readonly name: string
  readonly template: string
  readonly status: SessionStatus
  readonly labels: readonly string[]
  readonly agentArgs: readonly string[]
  readonly workspacePath: string
}

export interface AnsweringSessions<Held extends AnsweringRecord = AnsweringRecord> {
  create(
    spec: {
      readonly name: string
      readonly template: string
      readonly workingDir: string
      readonly agentArgs: readonly string[]
      readonly policy: string
      readonly description: string
      readonly labels: readonly string[]
      readonly by: string
    },
    signal: AbortSignal,
  ): Promise<{ readonly record: Held }>
  resume(ended: Held, spec: { readonly by: string }, signal: AbortSignal): Promise<{ readonly record: Held }>
  /** By name or id. Throws if there is no such session. */
  find(nameOrId: string): Promise<Held>
  running(): readonly Held[]
  activityOf(record: Held): Activity
  kill(record: Held, options: { readonly remove: boolean }): Promise<unknown>
}

export interface ConversationThreads {
  /** Throws if there is no such thread. */
  find(thread: string): Promise<{ readonly sessionId: string | undefined }>
}

export interface ConversationsOptions {
  readonly sessions: AnsweringSessions
  readonly threads: ConversationThreads
  readonly settings: AnsweringSettings
  readonly log: Log
}

/** Who asks: the agent of a session, or a person. Only they continue a conversation. */
export interface Owner {
  /** `undefined`: a person. */
  readonly session: string | undefined
}

export interface Conversations {
  begin(repository: RepositoryView, owner: Owner, signal: AbortSignal): Promise<HeldSession>
  /** Throws if the owner has no such conversation about the repository. */
  reopen(conversation: string, repository: RepositoryView, owner: Owner, signal: AbortSignal): Promise<HeldSession>
  /** Ends the sessions that got no question for a while. */
  endIdle(): Promise<void>
}

/** Until it is disposed of, the session is not ended for being idle. */
export interface HeldSession extends Disposable {
  readonly record: AnsweringRecord
  /** The conversation began with this question. */
  readonly isNew: boolean
  end(): Promise<void>
}

/** A person who reads an answer asks the next question within minutes. A server of Codex takes 100 MB meanwhile. */
export const idleMs = 10 * 60_000
/** The limit for all tokens together. */
const mostSessions = 8

const label = 'repository-answer'
const repositoryLabel = 'repository '
const threadId = /^t[0-9a-f-]{36}$/

export function createConversations({ sessions, threads, settings, log }: ConversationsOptions): Conversations {
  /** How many questions each session works on or is started for, by its name. */
  const held = new Map<string, number>()
  const resuming = new Map<string, Promise<AnsweringRecord>>()
  /** Runs one change at a time, so that no session ends between the check and its question. */
  const oneByOne = createSerial()

  function hold(name: string): Disposable {
    held.set(name, (held.get(name) ?? 0) + 1)
    return {
      [Symbol.dispose]() {
        const left = held.get(name)! - 1
        if (left > 0) held.set(name, left)
        else held.delete(name)
      },
    }
  }

  async function end(record: AnsweringRecord): Promise<void> {
    try {
      await sessions.kill(record, { remove: false })
    } catch (error) {
      log.warn({ session: record.name, error: messageOf(error) }, 'could not end a session that answers questions')
    }
  }

  const answering = () => sessions.running().filter(({ template }) => template === answeringTemplate)

  /** The sessions that no caller waits for, the longest idle first. */
  function idle(): readonly AnsweringRecord[] {
    const since = (record: AnsweringRecord) => sessions.activityOf(record).since
    return answering()
      .filter((record) => !held.has(record.name) && sessions.activityOf(record).is !== 'working')
      .toSorted((one, other) => since(one).localeCompare(since(other)))
  }

  async function makeRoom(): Promise<void> {
    const names = new Set([...held.keys(), ...answering().map(({ name }) => name)])
    if (names.size < mostSessions) return
    const [longest] = idle()
    if (longest) return end(longest)
    throw new HubError(
      'busy',
      `Codex answers ${names.size} questions at the moment, and more would slow all of them. Ask again in a minute.`,
    )
  }

  /** Holds the name while the session starts, and until the result is disposed of. */
  async function heldWhile(
    holding: Disposable,
    start: () => Promise<AnsweringRecord>,
    isNew: boolean,
  ): Promise<HeldSession> {
    try {
      const record = await start()
      return { record, isNew, end: () => end(record), [Symbol.dispose]: () => holding[Symbol.dispose]() }
    } catch (error) {
      holding[Symbol.dispose]()
      throw error
    }
  }

  async function begin(repository: RepositoryView, owner: Owner, signal: AbortSignal): Promise<HeldSession> {
    const { name, path } = repository
    const asker = owner.session === undefined ? 'person' : 'agent'
    const spec = {
      name: `ask-${slugOf(name)}-${randomBytes(4).toString('hex')}`,
      template: answeringTemplate,
      workingDir: path,
      agentArgs: codexFlags(settings, asker),
      policy: answeringPolicy(settings, asker, path),
      description: `Answers questions about the repository "${name}".`,
      labels: labelsOf(repository, owner),
      by: 'the repository port',
    }
    const holding = await oneByOne(async () => {
      await makeRoom()
      return hold(spec.name)
    })
    return heldWhile(holding, async () => (await sessions.create(spec, signal)).record, true)
  }

  async function recordOf(conversation: string, repository: RepositoryView, owner: Owner): Promise<AnsweringRecord> {
    try {
      const { sessionId } = threadId.test(conversation) ? await threads.find(conversation) : {}
      const record = sessionId === undefined ? undefined : await sessions.find(sessionId)
      const isIts = labelsOf(repository, owner).every((each) => record?.labels.includes(each))
      if (record?.template === answeringTemplate && isIts) return record
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    throw new HubError(
      'not-found',
      `"conversationId": you have no conversation "${conversation.slice(0, 60)}" about "${repository.name}". Leave it out to begin one.`,
    )
  }

  async function resume(ended: AnsweringRecord, signal: AbortSignal): Promise<AnsweringRecord> {
    try {
      return (await sessions.resume(ended, { by: 'the repository port' }, signal)).record
    } catch (error) {
      if (!(error instanceof HubError) || error.code === 'unavailable') throw error
      throw new HubError(
        error.code,
        `The conversation cannot be continued: ${error.message} Leave out "conversationId" to begin another.`,
        { cause: error },
      )
    }
  }

  /** The thread names the ended session until Codex says something in the new one. */
  async function resumeOnce(ended: AnsweringRecord, signal: AbortSignal): Promise<AnsweringRecord> {
    const { name } = ended
    const known = resuming.get(name) ?? answering().find((record) => record.name === name)
    if (known) return known
    const resumed = resume(ended, signal).finally(() => resuming.delete(name))
    resuming.set(name, resumed)
    return resumed
  }

  return {
    begin,
    async reopen(conversation, repository, owner, signal) {
      const { record, holding } = await oneByOne(async () => {
        const found = await recordOf(conversation, repository, owner)
        if (isOver(found.status) && !held.has(found.name)) await makeRoom()
        return { record: found, holding: hold(found.name) }
      })
      const start = async () => (isOver(record.status) ? resumeOnce(record, signal) : record)
      return heldWhile(holding, start, false)
    },
    endIdle: () =>
      oneByOne(async () => {
        const before = new Date(Date.now() - idleMs).toISOString()
        for (const record of idle()) if (sessions.activityOf(record).since < before) await end(record)
      }),
  }
}

/** The id of the repository that a session answers about. `undefined`: it answers about none. */
export function answeredRepository({
  template,
  labels,
}: Pick<AnsweringRecord, 'template' | 'labels'>): string | undefined {
  if (template !== answeringTemplate) return undefined
  return labels.find((each) => each.startsWith(repositoryLabel))?.slice(repositoryLabel.length)
}

function labelsOf({ id }: Pick<RepositoryView, 'id'>, { session }: Owner): readonly string[] {
  return [label, `${repositoryLabel}${id}`, session === undefined ? 'asked by a person' : `asked by ${session}`]
}

function slugOf(name: string): string {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  return slug.replaceAll(/^-+|-+$/g, '').slice(0, 24) || 'repository'
}
