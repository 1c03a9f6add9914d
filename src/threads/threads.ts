/**
 * Threads: what people and agents said and did, in one form for all agents. Drivers write them, once each, and viewers
 * follow them while a turn runs.
 *
 *   driver → writer → entries (stored) and drafts (in memory) → messages and frames
 */
import { hash, randomUUID } from 'node:crypto'
import type { SessionStatus } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import type { Draft, EntryBody, NewEntry, Thread, ThreadEntry, Usage } from '../api/thread.ts'
import { addUsage, noUsage } from '../api/usage.ts'
import { dropOldest } from '../base/drop-oldest.ts'
import { HubError, isNotFound } from '../base/hub-error.ts'
import { withoutKnownSecrets } from '../base/known-secrets.ts'
import type { Redactor } from '../base/redact.ts'
import type { Serial } from '../base/serial.ts'
import { createSerial } from '../base/serial.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { ThreadWriter } from '../drivers/drivers.ts'
import { handedOverMark, longestDraft } from '../drivers/drivers.ts'
import type { Feature, SignalSender } from '../feature/feature.ts'
import type { Notices } from '../mcp/mcp.ts'
import type { Store } from '../store/store.ts'
import type { Seen } from './frames.ts'
import { nothingSeen, readCursor, toFrames, writeCursor } from './frames.ts'
import { toMarkdown } from './markdown.ts'
import { toMessages } from './messages.ts'
import { createPrunableThreads } from './prunable-threads.ts'
import type { ThreadRecord } from './thread-store.ts'
import { createThreadStore } from './thread-store.ts'
import { createThreadProvider } from './thread-tools.ts'
import { sessionThreadUri, threadUri } from './thread-uris.ts'
import type { ThreadPage, ThreadPlace, Threads, ThreadSession } from './thread.ts'
import { createUsageProvider } from './usage-tools.ts'
import { createUsage } from './usage.ts'

export { createProviderSwitch } from './switch-provider.ts'
export type { Threads } from './thread.ts'

export interface ThreadsOptions {
  readonly store: Store
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly signals: SignalSender
  readonly redactor: Pick<Redactor, 'forPerson'>
  /** By name or id. Throws if there is no such session. */
  readonly findSession: (
    nameOrId: string,
  ) => Promise<{ readonly id: string; readonly name: string; readonly status: SessionStatus }>
}

const mostEntries = 500
/** Of the texts that an agent is writing, so many are kept. It may never finish them. */
const mostDrafts = 20
/** With its key. A longer text is shown when it is finished. */
const longestShown = 2 * longestDraft

export function createThreads({ store, notices, signals, redactor, findSession }: ThreadsOptions): Threads {
  const rows = createThreadStore(store)
  const usage = createUsage({ store, notices })
  /** The texts that agents are writing now, by thread. */
  const drafts = new Map<string, Map<string, Draft>>()
  const listeners = new Map<string, Set<() => void>>()
  /** A subscriber may use the name of a session. */
  const names = new Map<string, string>()
  /** The newest thread of each session. */
  const newest = new Map<string, string>()
  /** The session that last wrote to a thread. */
  const writers = new Map<string, string>()

  function notify({ id, sessionId }: Pick<ThreadRecord, 'id' | 'sessionId'>): void {
    notices.resourceChanged(threadUri(id))
    for (const listener of listeners.get(id) ?? []) listener()
    if (sessionId === undefined) return
    notices.resourceChanged(sessionThreadUri(sessionId))
    const name = names.get(sessionId)
    if (name !== undefined) notices.resourceChanged(sessionThreadUri(name))
    for (const listener of listeners.get(sessionId) ?? []) listener()
  }

  /** Of a session or a thread. */
  function onChange(id: string, listener: () => void): () => void {
    const all = listeners.get(id) ?? new Set()
    listeners.set(id, all.add(listener))
    return () => {
      all.delete(listener)
      if (all.size === 0) listeners.delete(id)
    }
  }

  /** The thread of a conversation, which may have begun in an earlier session or with another agent. */
  async function continueThread({ id: sessionId, agent }: ThreadSession, conversation: string): Promise<ThreadRecord> {
    const thread =
      (await foundThread(sessionId, agent, conversation)) ??
      (await handedThread(sessionId, conversation)) ??
      (await newThread({ sessionId, agent, conversation }))
    writers.set(thread.id, sessionId)
    return thread
  }

  async function foundThread(
    sessionId: string,
    agent: string,
    conversation: string,
  ): Promise<ThreadRecord | undefined> {
    const found = await rows.findConversation(agent, conversation)
    if (!found || found.sessionId === sessionId) return found
    if (found.sessionId !== undefined) await assertOver(found.sessionId)
    await rows.move(found.id, sessionId)
    newest.set(sessionId, found.id)
    return { ...found, sessionId }
  }

  /** The thread that the session got when it began. Its first conversation continues it. */
  async function handedThread(sessionId: string, conversation: string): Promise<ThreadRecord | undefined> {
    const thread = await rows.findOf(sessionId)
    if (!thread || thread.conversation !== undefined) return undefined
    await rows.setConversation(thread.id, conversation)
    return { ...thread, conversation }
  }

  async function newThread({
    entries,
    ...given
  }: Pick<ThreadRecord, 'agent'> &
    Partial<ThreadRecord> & { readonly entries?: readonly NewEntry[] }): Promise<ThreadRecord> {
    const record: ThreadRecord = {
      id: `t${randomUUID()}`,
      sessionId: undefined,
      conversation: undefined,
      parent: undefined,
      forkKey: undefined,
      label: undefined,
      createdAt: new Date().toISOString(),
      ...given,
    }
    await rows.insert(record, entries)
    if (record.sessionId !== undefined) newest.set(record.sessionId, record.id)
    return record
  }

  /**
   * An agent reports which conversation it has, and it may name one of another session. As long as that session runs,
   * no other session writes its thread.
   */
  async function assertOver(sessionId: string): Promise<void> {
    const owner = await sessionAt(sessionId)
    if (owner && !isOver(owner.status)) {
      throw new HubError('conflict', `The conversation belongs to the session "${owner.name}", which has not ended.`)
    }
  }

  /** Adds what an entry takes from earlier ones, so that it can be read on its own. */
  async function filledIn(thread: string, entry: NewEntry, before: readonly NewEntry[]): Promise<NewEntry> {
    if (entry.type === 'tool-result' && !entry.parameters) {
      const key = requestKey(entry.callId)
      const request = before.find((other) => other.key === key) ?? (await rows.findKey(thread, key))
      return request?.type === 'tool-request' ? { ...entry, parameters: request.parameters } : entry
    }
    if (entry.type === 'complete' && entry.answer === undefined) {
      const said = before.findLast(isSpoken) ?? (await rows.findLast(thread, spoken))
      return said?.type === 'text' ? { ...entry, answer: said.text } : entry
    }
    return entry
  }

  function withoutSecrets<Entry extends NewEntry>(entry: Entry): Entry {
    const text = JSON.stringify(entry)
    const safe = withoutKnownSecrets(redactor, text)
    return safe === text ? entry : (JSON.parse(safe) as Entry)
  }

  async function startIn(thread: ThreadRecord, place: Omit<ThreadPlace, 'cursor'>): Promise<number> {
    if (thread.id === place.thread) return place.seq
    // An earlier conversation may go on in this session. Its earlier turns do not count.
    return thread.createdAt < place.at ? rows.lastSeqBefore(thread.id, place.at) : 0
  }

  /** The digest of the text as a thread stores it. */
  function promptDigest(text: string): string {
    return hash('sha256', withoutKnownSecrets(redactor, text).trim(), 'hex')
  }

  function writerOf(session: ThreadSession): ThreadWriter {
    const oneByOne: Serial = createSerial()
    names.set(session.id, session.name)
    /** The thread of the last conversation, for drafts, which come often. */
    let last: ThreadRecord | undefined
    /** An agent writes in one conversation at a time. */
    let drafting: string | undefined

    async function threadOf(conversation: string): Promise<ThreadRecord> {
      last = await continueThread(session, conversation)
      return last
    }

    /** Another session may continue the thread by now. */
    function knownThreadOf(conversation: string): ThreadRecord | undefined {
      return last?.conversation === conversation && writers.get(last.id) === session.id ? last : undefined
    }

    return {
      append: (conversation, entries, progress) =>
        oneByOne(async () => {
          const thread = await threadOf(conversation)
          // The agent's own record repeats what was handed over to it.
          const isHanded = ({ key }: NewEntry) => thread.parent !== undefined && key.includes(handedOverMark)
          const given = entries.filter((entry) => !isHanded(entry))
          const filled: NewEntry[] = []
          for (const entry of given) filled.push(withoutSecrets(await filledIn(thread.id, entry, filled)))
          const stored = await rows.append(thread.id, filled, { session, readTo: progress?.readTo })
          const open = drafts.get(thread.id)
          for (const { key } of entries) open?.delete(key)
          if (entries.some(({ type }) => type === 'complete')) drafts.delete(thread.id)
          if (stored.length > 0) notify(thread)
          const end = stored.findLast(({ type }) => type === 'complete')
          if (end?.type === 'complete') {
            usage.add(session.id, stored)
            signals.emit('session-turn-ended', { session: session.id, status: end.status, reason: end.reason })
          }
        }),
      draft(conversation, draft) {
        if (draft.key.length + draft.text.length > longestShown) return
        void oneByOne(async () => {
          const thread = knownThreadOf(conversation) ?? (await threadOf(conversation))
          if (drafting !== undefined && drafting !== thread.id) drafts.delete(drafting)
          drafting = thread.id
          const open = drafts.get(thread.id) ?? new Map<string, Draft>()
          drafts.set(thread.id, open.set(draft.key, draft))
          dropOldest(open, mostDrafts)
          notify(thread)
          // A draft is only shown. `append` stores the finished entry, and reports a failure.
        }).catch(() => {})
      },
      async read(conversation) {
        const thread = await rows.findConversation(session.agent, conversation)
        return thread ? rows.read(thread.id, 0, Number.MAX_SAFE_INTEGER) : []
      },
      progress: () => rows.readTo(session.id),
      async has(conversation, key) {
        const thread = await rows.findConversation(session.agent, conversation)
        return thread !== undefined && (await rows.findKey(thread.id, key)) !== undefined
      },
    }
  }

  async function find(threadOrSession: string): Promise<ThreadRecord> {
    const thread = await rows.find(threadOrSession)
    if (thread) return thread
    const session = await findSession(threadOrSession)
    const ofSession = await rows.findOf(session.id)
    if (ofSession) return ofSession
    throw new HubError(
      'not-found',
      `The session "${session.name}" has no thread: its agent has not said anything yet, or the hub cannot read what it says. Call read_screen for its terminal.`,
    )
  }

  /** `undefined`: the session was removed. */
  async function sessionAt(id: string) {
    try {
      return await findSession(id)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  async function look(record: ThreadRecord, seen: Seen, limit: number): Promise<ThreadPage> {
    // Drafts are read first. A draft that becomes an entry in between is shown once, because both have the same key.
    const open = [...(drafts.get(record.id)?.values() ?? [])]
    const entries = await rows.read(record.id, seen.seq, limit + 1)
    const hasMore = entries.length > limit
    const page = entries.slice(0, limit)
    const stored = new Set(page.map(({ key }) => key))
    const unfinished = hasMore ? [] : open.filter(({ key }) => !stored.has(key))
    const isAtEnd = page.length === 0
    return {
      entries: page,
      frames: toFrames(page, unfinished, seen),
      hasMore,
      seen: {
        seq: page.at(-1)?.seq ?? seen.seq,
        drafts: {
          ...(isAtEnd || hasMore ? seen.drafts : {}),
          ...Object.fromEntries(unfinished.map(({ key, text }) => [key, text.length])),
        },
      },
    }
  }

  async function describe(record: ThreadRecord, { entries, frames, hasMore, seen }: ThreadPage): Promise<Thread> {
    const { id, agent, parent, forkKey, label, createdAt } = record
    const session = record.sessionId === undefined ? undefined : (await sessionAt(record.sessionId))?.name
    return {
      version: 'v1',
      thread_id: id,
      ...(session !== undefined && { session }),
      agent,
      ...(parent !== undefined && { parent }),
      ...(forkKey !== undefined && { fork_point: forkKey }),
      ...(label !== undefined && { label }),
      created_at: createdAt,
      usage: await usageOfThread(id),
      messages: toMessages(entries, agent),
      events: frames,
      cursor: writeCursor(seen),
      has_more: hasMore,
    }
  }

  async function entriesOf(thread: string, lastSeq = Infinity): Promise<readonly ThreadEntry[]> {
    const all: ThreadEntry[] = []
    for (let more = true; more;) {
      const page = await rows.read(thread, all.at(-1)?.seq ?? 0, mostEntries)
      all.push(...page.filter(({ seq }) => seq <= lastSeq))
      more = page.length === mostEntries && (page.at(-1)?.seq ?? 0) < lastSeq
    }
    return all
  }

  /** With the turns that it shares with the thread it was forked from. */
  async function usageOfThread(thread: string): Promise<Usage> {
    const used = (await rows.listCompleted(thread)).flatMap((end) => end.usage ?? [])
    return used.reduce(addUsage, noUsage)
  }

  const threads: Omit<Threads, keyof Feature> = {
    writerOf,
    find,
    currentOf: (sessionId) => newest.get(sessionId),
    conversationOf: async (sessionId) => (await rows.findOf(sessionId))?.conversation,
    usageOf: (sessionId) => usage.of(sessionId),
    promptAfter: (thread, at) => rows.findPromptAfter(thread, at),
    async read(threadOrSession, { since, limit = mostEntries, timeoutMs = 0, signal }) {
      const record = await find(threadOrSession)
      const seen = since === undefined ? nothingSeen : readCursor(since)
      let page = await look(record, seen, limit)
      if (page.frames.length === 0 && timeoutMs > 0) {
        const found = await waitUntil({
          sources: [(listener) => onChange(record.id, listener)],
          async look() {
            const next = await look(record, seen, limit)
            return next.frames.length > 0 ? next : undefined
          },
          timeoutMs,
          signal,
        })
        page = found ?? page
      }
      return describe(record, page)
    },
    async placeOf(sessionId, prompt) {
      const at = new Date().toISOString()
      const thread = await rows.findOf(sessionId)
      const seq = thread ? await rows.lastSeq(thread.id) : 0
      const cursor = writeCursor({ seq, drafts: {} })
      return { thread: thread?.id, seq, at, cursor, prompt: prompt === undefined ? undefined : promptDigest(prompt) }
    },
    async turnAfter(sessionId, place) {
      const thread = await rows.findOf(sessionId)
      if (!thread) return undefined
      const start = await startIn(thread, place)
      const isIt = (text: string) => promptDigest(text) === place.prompt
      const from = place.prompt === undefined ? start : (await rows.findPrompt(thread.id, isIt, start))?.seq
      if (from === undefined) return undefined
      const entry = await rows.findFirst(thread.id, 'complete', from)
      return entry?.type === 'complete' ? entry : undefined
    },
    async isQuietAfter(sessionId, place) {
      const thread = await rows.findOf(sessionId)
      if (!thread) return true
      const lastSeq = await rows.lastSeq(thread.id)
      if (lastSeq <= (await startIn(thread, place))) return true
      const [last] = await rows.read(thread.id, lastSeq - 1, 1)
      return last?.type === 'complete'
    },
    async lastPromptOf(sessionId) {
      const thread = await rows.findOf(sessionId)
      const prompt = thread && (await rows.findLast(thread.id, ['prompt']))
      return prompt?.type === 'prompt' ? prompt.text : undefined
    },
    onChange,
    async fork(threadOrSession, { at, label, agent }) {
      const parent = await find(threadOrSession)
      const last = at === undefined ? undefined : await rows.findKey(parent.id, at)
      if (at !== undefined && !last) {
        throw new HubError('not-found', `"at": the thread has no message "${at}". read_thread shows their ids.`)
      }
      const entries = await entriesOf(parent.id, last?.seq)
      const record = await newThread({
        agent: agent ?? parent.agent,
        parent: parent.id,
        forkKey: entries.at(-1)?.key,
        label,
        entries: entries.map((entry) => saidBy(parent.agent, entry)),
      })
      return describe(record, await look(record, nothingSeen, mostEntries))
    },
    async importThread(text, { format, label }) {
      const { providerOf, readThread } = await loadFormats()
      const entries = readThread(format, text, new Date().toISOString()).map(withoutSecrets)
      const record = await newThread({ agent: providerOf(format), label, entries })
      return describe(record, await look(record, nothingSeen, mostEntries))
    },
    entriesOf,
    async attach(thread, { id, name }, conversation) {
      names.set(id, name)
      await rows.move(thread, id)
      if (conversation !== undefined) await rows.setConversation(thread, conversation)
      newest.set(id, thread)
    },
    async earlier(thread) {
      const [{ writeThread }, entries] = await Promise.all([loadFormats(), entriesOf(thread)])
      const handed = handedEntries(entries)
      return {
        messagesIn: (format) => writeThread(format, handed, { isContinued: true }).messages,
        asText: () => toMarkdown({ label: 'Earlier', thread_id: thread, messages: toMessages(entries, '') }),
      }
    },
    remove: (thread) => rows.remove(thread),
    prunable: createPrunableThreads(rows),
  }
  return {
    ...threads,
    providers: [createThreadProvider({ threads }), createUsageProvider(usage)],
    async start() {
      await usage.start()
      for (const { sessionId, id } of await rows.listNewest()) newest.set(sessionId, id)
    },
    on: { 'session-ended': ({ session }) => void names.delete(session) },
  }
}

/** The key that drivers give the request of a tool call. */
export function requestKey(callId: string): string {
  return `call:${callId}`
}

/** Loaded with the first import, because it would slow the start of every hub. */
const loadFormats = () => import('./formats/formats.ts')

/**
 * The entries as another agent gets them: with call ids that every provider accepts, and without the message fields of
 * one provider.
 */
function handedEntries(entries: readonly ThreadEntry[]): readonly ThreadEntry[] {
  const marked = new Map<string, string>()
  return entries.map(({ extra, ...entry }, index) => {
    const { message, part, form } = extra?.value ?? {}
    const value = { message: message ?? 0, ...(part && { part }), ...(form && { form }) }
    const plain: ThreadEntry = extra ? { ...entry, extra: { ...extra, value } } : entry
    if (plain.type !== 'tool-request' && plain.type !== 'tool-result') return plain
    if (plain.type === 'tool-request') marked.set(plain.callId, `${handedOverMark}${index}`)
    return { ...plain, callId: marked.get(plain.callId) ?? plain.callId }
  })
}

/** Another agent may continue the thread, so each entry of the agent names it. */
function saidBy(agent: string, entry: ThreadEntry): NewEntry {
  const { seq: _, ...said } = entry
  const isOfAgent = said.type === 'text' || said.type === 'thinking' || said.type === 'tool-request'
  return isOfAgent && said.provider === undefined ? { ...said, provider: agent } : said
}

const spoken: readonly EntryBody['type'][] = ['prompt', 'text', 'complete']

function isSpoken({ type }: NewEntry): boolean {
  return spoken.includes(type)
}
