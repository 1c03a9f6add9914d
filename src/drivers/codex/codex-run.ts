/**
 * A session with Codex: its app-server in a holder, with which the hub talks, and perhaps its own interface in a
 * terminal, connected to the same server.
 *
 *   prompt → app-server → items and turns → thread
 *   question → gate → answer, unless the person in the terminal was faster
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Activity } from '../../api/session.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { jsonSize } from '../../base/json-size.ts'
import type { Log } from '../../base/log.ts'
import { createPacedSet } from '../../base/paced-set.ts'
import { waitUntil } from '../../base/wait-until.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'
import type { Delivery, Run, RunSession } from '../port/driver.ts'
import { createAnswerRoom } from '../port/answer-room.ts'
import type { EarlierThread } from '../port/hand-over.ts'
import { accountSchema, needsSignIn, signInReason } from './account.ts'
import type { AppServer, AppServerAddress, AppServerListeners, RequestId } from './app-server.ts'
import { connectToAppServer, introduce } from './app-server.ts'
import { createCodexPrograms } from './codex-programs.ts'
import type { Sandbox, ThreadSettings } from './governing.ts'
import { governedBy, hasTrustedCommands, openedSettings, undoOpening } from './governing.ts'
import type { CodexThread, NotificationHandlers, ThreadStatus } from './notifications.ts'
import { handleNotification, statusOf, threadSchema } from './notifications.ts'
import { createOwnToolRequests } from './own-tool-requests.ts'
import { createQuestions } from './questions.ts'
import { createThreadRecorder, lastThreadOf } from './thread-recorder.ts'
import type { Turn } from './turns.ts'
import { isUncertainEnd } from './turns.ts'

export interface CodexRunOptions {
  readonly session: RunSession
  readonly server: PipedProgram
  readonly address: AppServerAddress
  readonly log: Log
}

/** A run whose interface, if it is to have one, has not started yet. */
export interface OpenedRun extends Run {
  /** The thread that a prompt goes to. */
  readonly thread: string
  /** From now on the session ends with its interface. */
  show(terminal: Run): void
}

/** How a new session begins. `undefined`: an earlier hub has started it. */
export interface Beginning {
  /** The conversation to continue. */
  readonly resume: string | undefined
  /** The thread so far, by another agent. */
  readonly earlier?: EarlierThread | undefined
}

interface FollowedThread extends ThreadSettings {
  readonly id: string
  /** The thread belongs to a subagent, whose messages are not part of the conversation. */
  readonly isSub: boolean
  /** The file in which Codex records it. */
  readonly rollout: string | undefined
  /** The hub gets its items and questions. */
  readonly isJoined: boolean
  readonly activeTurn: string | undefined
  readonly status: ThreadStatus
}

const openedSchema = z.object({ thread: threadSchema, ...openedSettings })
const loadedSchema = z.object({ data: z.array(z.string()) })
const configSchema = z.object({ config: z.looseObject({ web_search: z.string().nullish() }) })
const anything = z.unknown()
const ofThread = z.object({ threadId: z.string() })

/** A prompt waits this long for the end of the turn before it. */
const idleMs = 60_000
const joinMs = 10_000
/** A conversation has one for each subagent. */
const mostThreads = 2_000
const mostJoining = 100
/** Of one conversation, while the hub joins it. */
const mostHeldBack = 10_000
const mostHeldBackBytes = 64 * 1024 * 1024
const mostUnknown = 100
const lookPauseMs = 100
const dialogMs = 15_000
const firstPauseMs = 100
const longestPauseMs = 5_000
/** Codex records the end of a turn a moment after the turn has ended. */
const recordedWithinMs = 2_000

export async function openCodexRun(options: CodexRunOptions, beginning: Beginning | undefined): Promise<OpenedRun> {
  const { session, server: program, address, log } = options
  const { name, workspacePath, directory, ownTools } = session
  const listeners = new Set<() => void>()
  const disposing = new AbortController()
  const threads = new Map<string, FollowedThread>()
  const joining = new Set<string>()
  /** The messages of threads that the hub is just joining. */
  const heldBack = new Map<string, (() => void)[]>()
  const room = createAnswerRoom()
  const recorder = await createThreadRecorder({ session: name, writer: session.thread, room, log })
  let heldBackBytes = 0
  /** The requests that this hub does not know, by method. */
  const unknown = new Set<string>()
  let server: AppServer | undefined
  let current = await lastThreadOf(session.thread)
  let activity: Activity = session.lastActivity ?? activityNow('unknown')
  let fault: string | undefined
  let loosened: string | undefined
  let needsLogin = false
  let searchesWeb = false
  let trustsCommands = false
  let codexHome = ''
  let hasTurn = session.isResumed

  const programs = createCodexPrograms({ session: name, server: program, log, onChange: notify })
  const reply = (id: RequestId, result: object) => server?.answer(id, result)
  const refuse = (id: RequestId, message: string) => server?.refuse(id, message)
  const questions = createQuestions({ reply, refuse, onChange: update })
  const requests = createOwnToolRequests({
    session: name,
    workspace: workspacePath,
    directory,
    ownTools,
    room,
    log,
    // Codex repeats an open question before it confirms that the hub has joined the thread, so this waits.
    openRollout: (path) => session.openTranscript(path),
    rolloutOf: (thread) =>
      waitUntil({
        sources: [onChange],
        look: () => threads.get(thread)?.rollout,
        timeoutMs: joinMs,
        signal: disposing.signal,
      }),
    reply,
    async explain(threadId, text) {
      const content = [{ type: 'input_text', text: `Signalbox, which runs this session, refused the call: ${text}` }]
      const items = [{ type: 'message', role: 'developer', content }]
      await server?.call('thread/inject_items', { threadId, items }, anything).catch(() => {})
    },
  })

  function notify(): void {
    for (const listener of listeners) listener()
  }

  function activityNow(is: Activity['is'], reason?: string): Activity {
    const since = new Date().toISOString()
    return { is, since, source: 'agent', confidence: 1, ...(reason !== undefined && { reason }) }
  }

  function classify(): Pick<Activity, 'is' | 'reason'> {
    if (needsLogin) return { is: 'waiting', reason: signInReason }
    const question = questions.current
    if (question) return { is: 'waiting', reason: question.text }
    const { status } = threads.get(current ?? '') ?? {}
    if (status === undefined) return { is: 'unknown' }
    return { is: status === 'idle' || status === 'failed' ? 'idle' : 'working' }
  }

  function update(): void {
    const { is, reason } = classify()
    if (is !== activity.is || reason !== activity.reason) activity = activityNow(is, reason)
    notify()
  }

  // Threads.

  function change(id: string, patch: Partial<FollowedThread>): void {
    const thread = threads.get(id)
    if (thread) threads.set(id, { ...thread, ...patch })
    update()
  }

  function follow({
    thread,
    approvalPolicy,
    sandbox: policy,
    activePermissionProfile: profile,
  }: z.output<typeof openedSchema>): void {
    const { id, path, parentThreadId, status, turns } = thread
    threads.set(id, {
      id,
      isSub: parentThreadId != null,
      rollout: path ?? undefined,
      isJoined: true,
      activeTurn: turns.find((turn) => turn.status === 'inProgress')?.id ?? threads.get(id)?.activeTurn,
      status: statusOf(status),
      approvalPolicy,
      sandbox: { policy, profile: profile?.id },
    })
  }

  /** Joins a thread: from now on the hub gets its items. Codex also repeats its open questions. */
  async function join(id: string): Promise<void> {
    const connection = connected()
    const later: (() => void)[] = []
    heldBack.set(id, later)
    try {
      const wanted = { threadId: id, approvalPolicy: 'untrusted' }
      const opened = await connection.call('thread/resume', wanted, openedSchema)
      follow(opened)
      if (opened.approvalPolicy !== 'untrusted') await govern(id)
      // Codex sends the tokens of the thread before or after its answer. They have arrived when another call is
      // answered.
      await connection.call('thread/loaded/list', {}, loadedSchema)
      if (!isSub(id)) writeHistory(id, opened.thread.turns)
      hasTurn ||= opened.thread.turns.length > 0
    } finally {
      heldBack.delete(id)
      if (heldBack.size === 0) heldBackBytes = 0
      for (const handle of later) handle()
      update()
    }
  }

  function writeHistory(id: string, turns: readonly Turn[]): void {
    recorder.history(id, turns)
    const last = turns.at(-1)
    if (last && isUncertainEnd(last)) {
      void writeEnd(id, last.id).catch((error: unknown) =>
        log.warn({ session: name, error: messageOf(error) }, 'could not see how a turn of Codex ended'),
      )
    }
  }

  /** Writes the end of a turn once it is certain, unless Codex has reported it meanwhile. */
  async function writeEnd(id: string, turn: string): Promise<void> {
    await sleep(recordedWithinMs, undefined, { ref: false })
    const wanted = { threadId: id, includeTurns: true }
    const { thread } = await connected().call('thread/read', wanted, z.object({ thread: threadSchema }))
    const ended = thread.turns.find((each) => each.id === turn)
    if (ended && threads.get(id)?.activeTurn !== turn) recorder.turnEnded(id, ended)
  }

  /** A thread of a new conversation can be joined only when its first turn runs. */
  async function joinWhenRunning(id: string): Promise<void> {
    if (joining.has(id) || joining.size >= mostJoining) return
    joining.add(id)
    for (let pauseMs = firstPauseMs; server && !disposing.signal.aborted && !threads.get(id)?.isJoined;) {
      try {
        await join(id)
      } catch (error) {
        log.debug({ session: name, error: messageOf(error) }, 'cannot join a thread of Codex yet')
        await sleep(pauseMs, undefined, { ref: false })
        pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      }
    }
    joining.delete(id)
  }

  async function govern(threadId: string, more: object = {}): Promise<void> {
    const wanted = { threadId, approvalPolicy: 'untrusted', approvalsReviewer: 'user', ...more }
    await connected().call('thread/settings/update', wanted, anything)
    change(threadId, { approvalPolicy: 'untrusted' })
  }

  /** A thread that another client started, such as the interface for `/new`. */
  async function meet({ id, path, parentThreadId, status }: CodexThread): Promise<void> {
    if (threads.has(id)) return
    if (threads.size >= mostThreads) return fail(`Codex began more than ${mostThreads} conversations.`)
    const isSub = parentThreadId != null
    threads.set(id, {
      id,
      isSub,
      rollout: path ?? undefined,
      isJoined: false,
      activeTurn: undefined,
      status: statusOf(status),
      approvalPolicy: undefined,
      sandbox: undefined,
    })
    if (!isSub) {
      recorder.begin(id)
      current = id
    }
    update()
    try {
      await govern(id)
    } catch (error) {
      log.error({ session: name, error: messageOf(error) }, 'could not put a thread of Codex under the policy')
      change(id, { approvalPolicy: 'unknown' })
      enforce()
    }
  }

  /** With `own_tools: required`, a session that is not governed is stopped. */
  function enforce(): void {
    update()
    const { is, reason } = governed()
    if (session.template?.own_tools !== 'required' || is !== 'no') return
    fault = `The session was stopped, because its template requires that the policy covers the tools of its agent. ${reason}`
    notify()
    void stop().catch((error: unknown) =>
      log.error({ session: name, error: messageOf(error) }, 'could not stop a session'),
    )
  }

  /** Ends the session, because it cannot continue. */
  function fail(reason: string): void {
    if (fault !== undefined) return
    fault = `${reason} So the session was stopped.`
    notify()
    void stop().catch((error: unknown) =>
      log.error({ session: name, error: messageOf(error) }, 'could not stop a session'),
    )
  }

  async function stop(): Promise<void> {
    requests.end()
    await programs.stop()
  }

  function governed() {
    return governedBy({ threads: [...threads.values()], loosened, searchesWeb, trustsCommands })
  }

  function noteSettings(id: string, approvalPolicy: unknown, sandbox: Sandbox): void {
    const before = threads.get(id)
    if (!before) return
    const undo = undoOpening(before.sandbox, sandbox)
    change(id, { approvalPolicy, ...(!undo && { sandbox }) })
    const isLoosened = before.approvalPolicy === 'untrusted' && approvalPolicy !== 'untrusted'
    if (!undo && !isLoosened) return
    const what = undo ? 'gave Codex full access' : 'told Codex to ask less'
    loosened = `At ${new Date().toISOString()} a person ${what}. The hub has undone that for the next turn.`
    void govern(id, undo)
      .catch((error: unknown) =>
        log.error({ session: name, error: messageOf(error) }, 'could not restore the settings of Codex'),
      )
      .finally(enforce)
  }

  // Messages of the server.

  /** Messages that come while the hub joins a thread are handled after its history. */
  function inOrder(params: unknown, handle: () => void): void {
    const later = heldBack.get(ofThread.safeParse(params).data?.threadId ?? '')
    if (!later) return handle()
    heldBackBytes += jsonSize(params)
    if (later.length >= mostHeldBack || heldBackBytes > mostHeldBackBytes) {
      return fail('Codex sent more than the hub can keep before it joined a conversation.')
    }
    later.push(handle)
  }

  const handlers: NotificationHandlers = {
    threadStarted: (thread) => void meet(thread),
    statusChanged(id, status) {
      change(id, { status })
      // The thread of a subagent is not announced otherwise.
      if (!threads.get(id)?.isJoined && status !== 'idle') void joinWhenRunning(id)
    },
    settingsUpdated(id, { approvalPolicy, sandboxPolicy: policy, activePermissionProfile: profile }) {
      noteSettings(id, approvalPolicy, { policy, profile: profile?.id })
    },
    tokensUsed: (id, total) => recorder.tokens(id, total),
    turnStarted(id, turn) {
      if (threads.get(id)?.isSub === false) current = id
      hasTurn = true
      change(id, { activeTurn: turn.id, status: 'active' })
    },
    turnCompleted(id, turn) {
      requests.turnEnded(id)
      if (!isSub(id)) recorder.turnEnded(id, turn)
      change(id, { activeTurn: undefined, status: 'idle' })
      looks.add('rules')
    },
    itemStarted(id, item) {
      requests.itemStarted(item)
      if (!isSub(id)) recorder.itemStarted(id, item)
    },
    itemCompleted(id, item) {
      requests.itemEnded(item)
      if (!isSub(id)) recorder.itemCompleted(id, item)
    },
    textAdded(id, delta) {
      if (!isSub(id)) recorder.delta(id, delta)
    },
    requestResolved(request) {
      requests.resolved(request)
      questions.resolved(request)
    },
    accountChanged: () => looks.add('account'),
  }

  function onRequest(id: RequestId, method: string, params: unknown): void {
    const thread = ofThread.safeParse(params).data?.threadId
    if (requests.take(id, method, params) || questions.take(id, method, params)) return
    // A request of a kind that this hub does not know. The person may answer it in the terminal.
    if (unknown.has(method) || unknown.size >= mostUnknown) return
    unknown.add(method)
    log.warn({ session: name, method, thread }, 'Codex asks something that this hub does not understand')
  }

  function isSub(thread: string): boolean {
    return threads.get(thread)?.isSub ?? true
  }

  /** One look at a time, since Codex may report a change at any time. */
  const looks = createPacedSet<'account' | 'rules'>(
    async (wanted) => {
      if (wanted.includes('rules')) await lookAtRules().catch(noteFailedLook)
      if (wanted.includes('account')) await lookAtAccount().catch(noteFailedLook)
    },
    () => lookPauseMs,
  )

  function noteFailedLook(error: unknown): void {
    log.debug({ session: name, error: messageOf(error) }, 'could not look at the settings of Codex')
  }

  async function lookAtAccount(): Promise<void> {
    needsLogin = needsSignIn(await connected().call('account/read', { refreshToken: false }, accountSchema))
    update()
  }

  async function lookAtRules(): Promise<void> {
    trustsCommands = await hasTrustedCommands(codexHome, workspacePath)
    update()
  }

  // The connection.

  function connected(): AppServer {
    if (server) return server
    throw new HubError('unavailable', 'The hub is not connected to Codex. Try again in a moment.')
  }

  async function connect(): Promise<void> {
    const serverListeners: AppServerListeners = {
      onNotification(method, params) {
        const handle = () => handleNotification(method, params, handlers)
        if (method === 'thread/tokenUsage/updated') handle()
        else inOrder(params, handle)
      },
      onRequest: (id, method, params) => inOrder(params, () => onRequest(id, method, params)),
      onClose,
    }
    server = await connectToAppServer(address, serverListeners, room)
    const introduced = await introduce(server)
    codexHome = introduced.codexHome
    await lookAtAccount()
    const { config } = await server.call('config/read', { includeLayers: false, cwd: workspacePath }, configSchema)
    searchesWeb = config.web_search != null && config.web_search !== 'disabled'
    await lookAtRules()
  }

  /** The threads that an earlier hub, or the interface, has started. */
  async function joinAll(): Promise<void> {
    const { data } = await connected().call('thread/loaded/list', {}, loadedSchema)
    for (const id of data) await joinOrMeet(id)
    // Codex unloads a thread that no client has followed for long.
    if (current !== undefined && !threads.has(current)) await join(current)
    current ??= [...threads.values()].findLast((thread) => !thread.isSub)?.id
    // An earlier hub was killed before it began a conversation.
    if (current === undefined) await begin({ resume: session.isResumed ? session.conversation : undefined })
    update()
  }

  async function joinOrMeet(id: string): Promise<void> {
    const isKnown = threads.has(id) || id === current || (await session.thread.read(id)).length > 0
    try {
      await join(id)
      if (!isKnown && !isSub(id)) noteUnseen()
    } catch (error) {
      // The thread has had no turn yet.
      log.debug({ session: name, error: messageOf(error) }, 'cannot join a thread of Codex yet')
      await meet({
        id,
        path: undefined,
        parentThreadId: undefined,
        recencyAt: undefined,
        status: { type: 'idle', activeFlags: [] },
        turns: [],
      })
    }
  }

  /** A new thread asks about fewer calls than the hub wants, until a hub changes its settings. */
  function noteUnseen(): void {
    const now = new Date().toISOString()
    loosened = `While the hub was away, a conversation began in Codex, and what it did before ${now} was not judged by the policy.`
    update()
  }

  function onClose(reason?: string): void {
    server = undefined
    if (reason !== undefined) fail(`The hub cannot read what Codex says: ${reason}`)
    requests.clear()
    questions.clear()
    update()
    if (programs.isServerRunning) void reconnect()
  }

  async function reconnect(): Promise<void> {
    for (let pauseMs = firstPauseMs; !disposing.signal.aborted && programs.isServerRunning && fault === undefined;) {
      await sleep(pauseMs, undefined, { ref: false })
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      try {
        await connect()
        return await joinAll()
      } catch (error) {
        log.warn({ session: name, error: messageOf(error) }, 'the hub has lost its connection to Codex')
      }
    }
  }

  async function begin({ resume, earlier }: Beginning): Promise<void> {
    const common = { cwd: workspacePath, approvalPolicy: 'untrusted', approvalsReviewer: 'user' }
    const opened = await (resume === undefined
      ? connected().call('thread/start', common, openedSchema)
      : connected().call('thread/resume', { ...common, threadId: resume }, openedSchema))
    const { id } = opened.thread
    follow(opened)
    current = id
    if (resume === undefined) {
      recorder.begin(id)
      // Only a thread with a name can be resumed before its first turn, which the interface does.
      await connected().call('thread/name/set', { threadId: id, name }, anything)
      if (earlier) await connected().call('thread/inject_items', { threadId: id, items: itemsOf(earlier) }, anything)
    } else {
      await connected().call('thread/loaded/list', {}, loadedSchema)
      writeHistory(id, opened.thread.turns)
    }
    const { is, reason } = governed()
    if (is === 'no' && session.template?.own_tools === 'required') throw new HubError('unavailable', reason ?? '')
    update()
  }

  // Opening.

  try {
    await connect()
    await (beginning ? begin(beginning) : joinAll())
  } catch (error) {
    programs[Symbol.dispose]()
    server?.[Symbol.dispose]()
    throw error
  }

  function prompted(): FollowedThread {
    const thread = threads.get(current ?? '')
    if (thread) return thread
    throw new HubError('unavailable', 'Codex has no conversation in this session. Restart the session.')
  }

  function whyNotNow(): string | undefined {
    if (needsLogin) return signInReason
    const held = session.heldCall()
    if (held)
      return `The session waits for a person: ${held.reason ?? 'an approval'}. Answer that, then send the prompt.`
    const question = questions.current
    return question && `The agent asks: ${question.text} Answer with answer_question, then send the prompt.`
  }

  function inputOf(text: string) {
    return [{ type: 'text', text, text_elements: [] }]
  }

  async function prompt(text: string, signal: AbortSignal): Promise<Delivery> {
    const held = whyNotNow()
    if (needsLogin) await screenWaits(signal)
    if (held !== undefined) return notDelivered(held)
    // Codex lists the tools of the hub once, when a session begins.
    if (beginning && session.template?.connects) await session.agentConnected(signal)
    const ready = await waitUntil({
      sources: [onChange],
      look: () =>
        whyNotNow() ?? (programs.status.is !== 'running' ? 'The session has ended.' : isIdle() ? '' : undefined),
      timeoutMs: idleMs,
      signal,
    })
    if (ready === undefined) {
      return notDelivered('The agent still works on another prompt. Wait until it is idle, or call steer_session.')
    }
    if (ready !== '') return notDelivered(ready)
    const { id } = prompted()
    // Set before the answer, since the turn may have ended by then.
    change(id, { status: 'active' })
    try {
      await connected().call('turn/start', { threadId: id, input: inputOf(text) }, anything)
      return { delivered: true }
    } catch (error) {
      change(id, { status: 'idle' })
      return notDelivered(messageOf(error))
    }
  }

  /** Waits for a dialog of the interface, which appears soon after the start. */
  async function screenWaits(signal: AbortSignal): Promise<void> {
    const look = () => (!programs.terminal || programs.terminal.activity.is === 'waiting' ? true : undefined)
    await waitUntil({ sources: [onChange], look, timeoutMs: dialogMs, signal })
  }

  function isIdle(): boolean {
    const thread = threads.get(current ?? '')
    return server !== undefined && (thread?.status === 'idle' || thread?.status === 'failed')
  }

  function notDelivered(reason: string): Delivery {
    const text = programs.terminal?.terminal?.screen.text()
    const lines = text?.split('\n').filter((line) => line.trim() !== '')
    return { delivered: false, reason, ...(lines && { screen: lines.slice(-screenLines).join('\n') }) }
  }

  function onChange(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  return {
    get thread() {
      return prompted().id
    },
    get status() {
      return programs.status
    },
    get activity() {
      // A dialog of the interface itself, such as a choice of models, waits for a person too.
      const shown = programs.terminal?.activity
      return shown?.is === 'waiting' && activity.is === 'idle' ? shown : activity
    },
    get fault() {
      return fault ?? programs.fault
    },
    hasThread: true,
    get conversation() {
      return hasTurn ? current : undefined
    },
    get terminal() {
      return programs.terminal?.terminal
    },
    get governed() {
      return governed()
    },
    get question() {
      return questions.current
    },
    onChange,
    prompt,
    async steer(text) {
      const { id, activeTurn } = prompted()
      if (activeTurn === undefined) {
        throw new HubError('conflict', `"${name}" works on nothing that could be steered. Call prompt_session.`)
      }
      const params = { threadId: id, expectedTurnId: activeTurn, input: inputOf(text) }
      await connected().call('turn/steer', params, anything)
    },
    async interrupt() {
      const { id, activeTurn } = prompted()
      if (activeTurn === undefined) return
      await connected().call('turn/interrupt', { threadId: id, turnId: activeTurn }, anything)
    },
    answer: async (question, answer) => questions.answer(question, answer),
    stop,
    type: (text, typing) => requireTerminal().type!(text, typing),
    tail: (lines, tailing) => requireTerminal().tail!(lines, tailing),
    show: (terminal) => programs.show(terminal),
    [Symbol.dispose]() {
      disposing.abort()
      looks[Symbol.dispose]()
      listeners.clear()
      server?.[Symbol.dispose]()
      server = undefined
      programs[Symbol.dispose]()
      program.release()
    },
  }

  function requireTerminal(): Run {
    if (programs.terminal) return programs.terminal
    throw new HubError(
      'invalid',
      `"${name}" has no terminal. Talk to it with prompt_session, and read it with read_thread.`,
    )
  }
}

const screenLines = 20

/** A provider takes the thoughts of its own models only. */
function itemsOf(earlier: EarlierThread): readonly unknown[] {
  const isThought = (item: unknown) => z.object({ type: z.literal('reasoning') }).safeParse(item).success
  return earlier.messagesIn('openai-responses').filter((item) => !isThought(item))
}
