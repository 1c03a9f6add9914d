/**
 * Follows the server of an opencode: its conversations become threads, and its status becomes the activity. After each
 * connection, including the first of a new hub, it reads everything that it missed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Activity, AgentReport, Question } from '../../api/session.ts'
import type { Draft } from '../../api/thread.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { createPace } from '../../base/pace.ts'
import { createSerial } from '../../base/serial.ts'
import { waitUntil } from '../../base/wait-until.ts'
import type { CompanionContext } from '../port/companion.ts'
import type { Delivery, Run } from '../port/driver.ts'
import type { Calls } from './calls.ts'
import type { OpencodeClient } from './client.ts'
import type { Conversation } from './conversation.ts'
import { createConversation } from './conversation.ts'
import type { ServerEvent } from './messages.ts'
import { createQuestions } from './questions.ts'

export interface FollowOptions {
  readonly context: CompanionContext
  readonly client: OpencodeClient
  readonly calls: Calls
  /** The conversation that the next prompt continues. */
  readonly opened: string | undefined
  /** Conversations to read at the start. */
  readonly known: readonly string[]
  onConversation(id: string): void
  /** The server sends more than the hub can take, so it is not followed any more. */
  onTooMuch(reason: string): void
  readonly signal: AbortSignal
}

export interface FollowedServer {
  readonly question: Question | undefined
  readonly activity: Activity | undefined
  readonly actions: Required<Pick<Run, 'steer' | 'interrupt' | 'answer'>>
  /** The server may be asked from now on. */
  start(): void
  /** The server will not be asked. */
  giveUp(reason: string): void
  /** A conversation that began while the hub may have been away. */
  follow(conversation: string): void
  /** The open questions may have changed. */
  changed(): void
  /** `undefined`: the server cannot be reached, so the prompt has to be typed. */
  prompt(text: string, signal: AbortSignal): Promise<Delivery | undefined>
}

const againMs = 1_000
const readyMs = 240_000
const takenMs = 60_000
const draftEveryMs = 50

/** `child`: the conversation of a subagent. Its calls are decided, but its messages are not part of the thread. */
type Followed = Conversation | 'child'

type State = { readonly is: 'away' | 'connected' } | { readonly is: 'given-up'; readonly reason: string }

export function followServer(options: FollowOptions): FollowedServer {
  const { context, client, calls, onConversation, onTooMuch, signal } = options
  const { session, terminal, report, onChange } = context
  const oneByOne = createSerial()
  const pace = createPace()
  const conversations = new Map<string, Followed>()
  const kept = { bytes: 0 }
  const busy = new Set<string>()
  const listeners = new Set<() => void>()
  const drafts = new Map<string, { readonly conversation: string; readonly draft: Draft }>()
  let draftTimer: NodeJS.Timeout | undefined
  const known = new Set(options.known)
  let current = options.opened
  let state: State = { is: 'away' }
  let isStarted = false
  let hasPrompted = false
  let hasCaughtUp = false
  let activity: Activity | undefined
  /** The ids of the prompts that opencode has taken. It reports a prompt again when its turn has ended. */
  const prompts = new Set<string>()
  const questions = createQuestions((id, answers) => client.replyQuestion(id, answers), changed)

  function changed(): void {
    const now = state.is === 'connected' ? currentReport() : undefined
    if (now && (now.is !== activity?.is || now.reason !== activity.reason)) {
      activity = { ...now, since: new Date().toISOString(), source: 'agent', confidence: 1 }
      report(now)
    }
    for (const listener of listeners) listener()
    onChange()
  }

  function currentReport(): AgentReport & Pick<Activity, 'reason'> {
    const reason = questions.current?.text ?? calls.asking
    if (reason !== undefined) return { is: 'waiting', reason }
    return { is: busy.size > 0 ? 'working' : 'idle' }
  }

  function setState(next: State): void {
    state = next
    changed()
  }

  async function run(): Promise<void> {
    while (!signal.aborted && terminal.status.is === 'running') {
      try {
        await client.prove(signal)
        for await (const event of client.events(signal)) {
          const startedAt = performance.now()
          await oneByOne(() => take(event))
          await pace(startedAt)
        }
      } catch (error) {
        if (error instanceof HubError && error.code === 'too-large') return onTooMuch(error.message)
        // It starts, or has ended, or the connection was lost.
      }
      if (state.is === 'connected') setState({ is: 'away' })
      await sleep(againMs, undefined, { signal, ref: false })
    }
  }

  async function take(event: ServerEvent): Promise<void> {
    switch (event.type) {
      case 'server.connected':
        return catchUp()
      case 'message.updated': {
        const { info } = event.properties
        const isPrompt = info.role === 'user' && !prompts.has(info.id)
        const conversation = await conversationOf(info.sessionID)
        if (conversation === 'child') return
        conversation.message(info)
        if (isPrompt) {
          prompts.add(info.id)
          busy.add(info.sessionID)
          choose(info.sessionID)
          changed()
        }
        return write(conversation)
      }
      case 'message.part.updated': {
        const { part } = event.properties
        if (part.type === 'tool') calls.noted(part)
        const conversation = await conversationOf(part.sessionID)
        if (conversation === 'child') return
        conversation.part(part)
        drafts.delete(part.id)
        return write(conversation)
      }
      case 'message.part.delta': {
        const { sessionID, partID, delta } = event.properties
        const conversation = conversations.get(sessionID)
        if (!conversation || conversation === 'child') return
        const draft = conversation.delta(partID, delta)
        if (draft) showSoon(sessionID, draft)
        return
      }
      case 'session.status': {
        const { sessionID, status } = event.properties
        const conversation = await conversationOf(sessionID)
        if (conversation === 'child') return
        if (status.type === 'idle') {
          busy.delete(sessionID)
          conversation.idle(false)
          await write(conversation)
        } else busy.add(sessionID)
        return changed()
      }
      case 'session.error': {
        const { sessionID, error } = event.properties
        const conversation = await conversationOf(sessionID)
        if (conversation === 'child') return
        conversation.failed(error)
        return write(conversation)
      }
      case 'permission.asked':
        return calls.asked(event.properties)
      case 'permission.replied':
        return calls.replied(event.properties.requestID, event.properties.reply)
      case 'question.asked':
        return questions.asked(event.properties)
      case 'question.replied':
      case 'question.rejected':
        return questions.ended(event.properties.requestID)
    }
  }

  async function catchUp(): Promise<void> {
    const before = await client.statuses()
    const read: Conversation[] = []
    let lastPrompt = 0
    for (const id of new Set([...known, ...conversations.keys(), ...Object.keys(before)])) {
      const conversation = await conversationOf(id, true)
      if (conversation === 'child') continue
      read.push(conversation)
      // The next prompt continues the conversation with the newest prompt.
      if (conversation.promptedAt < lastPrompt) continue
      lastPrompt = conversation.promptedAt
      choose(id)
    }
    const after = await client.statuses()
    busy.clear()
    for (const conversation of read) {
      const [was, is] = [before, after].map((statuses) => statuses[conversation.id]?.type ?? 'idle')
      if (is !== 'idle') busy.add(conversation.id)
      // An answer that another opencode left unfinished stays unfinished.
      else if (was === 'idle') conversation.idle(context.isNew && !hasCaughtUp)
      await write(conversation)
    }
    hasCaughtUp = true
    for (const question of await client.questions()) questions.asked(question)
    // opencode fails to list the open permissions if one of them is for a pattern of files. Those stay in the terminal.
    for (const permission of await client.permissions().catch(() => [])) calls.asked(permission)
    setState({ is: 'connected' })
  }

  /** Reads the conversation if it is not known yet, or was read before a gap. */
  async function conversationOf(id: string, isStale = false): Promise<Followed> {
    const found = conversations.get(id)
    if (found === 'child' || (found && !isStale)) return found
    const opened = await client.session(id)
    // The conversation that a person chose may not exist.
    if (!opened || opened.parentID !== undefined) {
      conversations.set(id, 'child')
      return 'child'
    }
    const conversation = found ?? createConversation(id, kept)
    conversations.set(id, conversation)
    for (const { info, parts } of await client.messages(id)) {
      if (info.role === 'user') prompts.add(info.id)
      conversation.message(info)
      for (const part of parts) {
        conversation.part(part)
        if (part.type === 'tool') calls.noted(part)
      }
    }
    conversation.settle()
    return conversation
  }

  async function write(conversation: Conversation): Promise<void> {
    const entries = conversation.ready()
    if (entries.length === 0) return
    await session.thread.append(conversation.id, entries)
    conversation.written(entries)
  }

  function showSoon(conversation: string, draft: Draft): void {
    drafts.set(draft.key, { conversation, draft })
    draftTimer ??= setTimeout(() => {
      draftTimer = undefined
      for (const each of drafts.values()) session.thread.draft(each.conversation, each.draft)
      drafts.clear()
    }, draftEveryMs)
  }

  function choose(id: string): void {
    current = id
    onConversation(id)
  }

  function onServerChange(listener: () => void): () => void {
    listeners.add(listener)
    const stopListening = terminal.onChange(listener)
    return () => {
      listeners.delete(listener)
      stopListening()
    }
  }

  async function untilConnected(until: AbortSignal): Promise<'connected' | 'ended' | 'unreachable'> {
    const found = await waitUntil<'connected' | 'ended' | 'unreachable'>({
      sources: [onServerChange],
      look() {
        if (terminal.status.is !== 'running') return 'ended'
        if (state.is === 'given-up') return 'unreachable'
        return state.is === 'connected' ? 'connected' : undefined
      },
      timeoutMs: readyMs,
      signal: until,
    })
    return found ?? 'unreachable'
  }

  async function send(text: string, until: AbortSignal): Promise<Delivery> {
    const waits = session.heldCall()?.reason ?? questions.current?.text ?? calls.asking
    if (waits !== undefined) {
      const reason = `The session waits for a person: ${waits}. Answer that, then send the prompt.`
      return { delivered: false, reason }
    }
    const before = prompts.size
    current ??= (await client.createSession()).id
    const id = current
    await client.select(id)
    await client.prompt(id, text)
    const isTaken = await waitUntil({
      sources: [onServerChange],
      look: () => prompts.size > before || undefined,
      timeoutMs: takenMs,
      signal: until,
    })
    // A terminal that was just starting may have missed it.
    await client.select(id)
    if (isTaken) return { delivered: true }
    return { delivered: false, reason: 'opencode accepted the prompt, but did not show it. Look at its screen.' }
  }

  return {
    get question() {
      return questions.current
    },
    get activity() {
      return state.is === 'connected' && activity?.is !== 'idle' ? activity : undefined
    },
    start() {
      if (isStarted) return
      isStarted = true
      void run().catch(() => {})
    },
    giveUp: (reason) => setState({ is: 'given-up', reason }),
    follow(id) {
      // Read with the next connection. While the server is connected, its events report the conversation.
      known.add(id)
      onConversation(id)
    },
    changed,
    async prompt(text, until) {
      try {
        const reached = await untilConnected(until)
        if (reached === 'ended') return { delivered: false, reason: 'The program ended before it got the prompt.' }
        if (reached === 'unreachable') return undefined
        // The tools of the hub must be there for the first prompt.
        if (context.isNew && !hasPrompted) await session.agentConnected(until)
        hasPrompted = true
        return await send(text, until)
      } catch (error) {
        return { delivered: false, reason: messageOf(error) }
      }
    },
    actions: {
      async steer(text) {
        if (current === undefined || !busy.has(current)) {
          throw new HubError('conflict', 'The agent does not work on a turn. Call prompt_session.')
        }
        await client.prompt(current, text)
      },
      async interrupt() {
        for (const id of busy) await client.abort(id)
      },
      answer: (question, answer) => questions.answer(question, answer),
    },
  }
}
