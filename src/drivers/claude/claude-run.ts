/**
 * Claude Code without a terminal: lines of JSON on pipes, in both directions.
 *
 *   its output → place by place → entries of the thread, requests to the gate
 *   prompts, answers → numbered input
 *
 * After a crash, the next hub continues before the oldest request without an answer. It may read some lines twice. That
 * changes nothing, because entries have keys and answered requests are known from the input.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Activity, Governed } from '../../api/session.ts'
import type { NewEntry } from '../../api/thread.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { createSerial } from '../../base/serial.ts'
import { waitUntil } from '../../base/wait-until.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'
import type { Run, RunSession, RunStatus } from '../port/driver.ts'
import { createAnswerRoom } from '../port/answer-room.ts'
import { pacedLines } from '../port/paced-lines.ts'
import { readRest, unreadNote } from '../port/read-rest.ts'
import { stopPipedProgram } from '../port/stop-piped-program.ts'
import { writeWhenRead } from '../port/write-when-read.ts'
import type { ControlMessage } from './control-message.ts'
import { initialize, interruptRequest, refusalOf, userMessage } from './control-message.ts'
import { createDrafts } from './drafts.ts'
import { governedIn, hooksAreOff, notSeenYet } from './governed.ts'
import type { Place } from './place.ts'
import { answeredRequests, placeText, placeToReadFrom } from './place.ts'
import type { Read } from './read-message.ts'
import { nextTurn, readAssistant, readUser } from './read-message.ts'
import { createRequests } from './requests.ts'
import type { StreamLine, TurnResult } from './stream-line.ts'
import { parseStreamLine, unknownRequest } from './stream-line.ts'
import { howEnded, turnEnd } from './turn-end.ts'

const retryMs = 1_000
/** How long a prompt waits for the turn before it. */
const longestTurnMs = 3_600_000
const storeEveryBytes = 8 * 1024 * 1024

export async function createClaudeRun(session: RunSession, program: PipedProgram): Promise<Run> {
  const { thread, template } = session
  const listeners = new Set<() => void>()
  const disposing = new AbortController()
  /** Fires when the rest of the output is not read any more. */
  const leaving = new AbortController()
  const either = AbortSignal.any([disposing.signal, leaving.signal])
  const room = createAnswerRoom()
  const oneByOne = createSerial()
  const answered = answeredRequests(program)
  let place = placeToReadFrom(await thread.progress(), program)
  let activity: Activity = { is: 'idle', since: new Date().toISOString(), source: 'agent', confidence: 1 }
  /** Set while the program asks the model again after a failure. */
  let retrying: Pick<Activity, 'is' | 'reason'> | undefined
  let runsNoHooks = false
  let fault: string | undefined
  let storeFault: string | undefined
  /** The final status of the program, set once all its output has been read. */
  let ended: RunStatus | undefined
  /** Reading has failed. */
  let isUnreadable = false
  /** The offset at which the place was last stored. */
  let storedAt = place.offset

  function notify(): void {
    const now = currentActivity()
    if (now.is !== activity.is || now.reason !== activity.reason) {
      activity = { ...now, since: new Date().toISOString(), source: 'agent', confidence: 1 }
    }
    for (const listener of listeners) listener()
  }

  function currentActivity(): Pick<Activity, 'is' | 'reason'> {
    const { question } = requests
    if (ended) return { is: 'idle' }
    if (question) return { is: 'waiting', reason: question.text }
    return place.prompts.length > 0 ? (retrying ?? { is: 'working' }) : { is: 'idle' }
  }

  /** Resolves when the input is recorded. Throws if the program takes no more input. */
  function write(message: ControlMessage): Promise<void> {
    return oneByOne(() =>
      writeWhenRead(program, `${JSON.stringify(message)}\n`, {
        options: { sequence: program.input.sequence + 1 },
        signal: either,
      }),
    )
  }

  const requests = createRequests<Place>({
    ownTools: session.ownTools,
    room,
    answered,
    write,
    onChange: notify,
  })
  const drafts = createDrafts((conversation, draft) => thread.draft(conversation, draft))

  async function store(entries: readonly NewEntry[], conversation = place.conversation ?? session.conversation) {
    storedAt = place.offset
    if (conversation === undefined) return
    const safe = requests.firstOpen ?? place
    await untilStored(() => thread.append(conversation, entries, { readTo: placeText(safe) }))
    program.processed(safe.offset)
  }

  /** Retries until the store takes it, so that a full disk loses nothing that Claude Code said. */
  async function untilStored(append: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await append()
        storeFault = undefined
        return
      } catch (error) {
        either.throwIfAborted()
        storeFault = `The hub cannot store what Claude Code says: ${messageOf(error)}`
        notify()
        await setTimeout(retryMs, undefined, { signal: either })
      }
    }
  }

  async function take(line: StreamLine, before: Place): Promise<void> {
    switch (line.type) {
      case 'assistant':
        drafts.drop()
        retrying = undefined
        return takeRead(readAssistant(line, place.reading), line.session_id)
      case 'user': {
        const read = readUser(line, place.reading)
        for (const entry of read.entries) {
          if (entry.type === 'tool-result') requests.end(entry.callId, entry.error === undefined ? 'ok' : 'error')
        }
        startPrompt(line.uuid)
        return takeRead(read, line.session_id)
      }
      case 'result':
        return endTurn(line)
      case 'system':
        return takeSystem(line)
      case 'command_lifecycle':
        if (line.state === 'started') startPrompt(line.command_uuid)
        if (line.state === 'completed' || line.state === 'cancelled') {
          place = { ...place, prompts: place.prompts.filter(({ uuid }) => uuid !== line.command_uuid) }
        }
        return notify()
      case 'control_request':
        if (line.request.subtype === 'hook_callback') {
          const { permission_mode: permissionMode = place.permissionMode, cwd = place.cwd } = line.request.input
          place = { ...place, runsHooks: true, permissionMode, cwd }
        }
        if (program.status.is !== 'running') requests.cancelAll()
        requests.take(line, before, place.cwd ?? session.workspacePath)
        return notify()
      case 'control_cancel_request':
        return requests.cancel(line.request_id)
      case 'stream_event':
        return drafts.take(line, place.reading.message?.id)
      case 'control_response':
        return
    }
  }

  async function takeRead({ reading, entries }: Read, conversation: string): Promise<void> {
    place = { ...place, reading, conversation }
    if (entries.length > 0) await store(entries)
    notify()
  }

  function startPrompt(started: string): void {
    const prompts = place.prompts.map((prompt) => (prompt.uuid === started ? { ...prompt, isStarted: true } : prompt))
    place = { ...place, prompts }
  }

  async function endTurn(result: TurnResult): Promise<void> {
    const { total_cost_usd: cost = place.cost, session_id: conversation } = result
    const spent = Math.max(0, cost - place.cost)
    retrying = undefined
    place = {
      ...place,
      conversation,
      cost,
      reading: nextTurn(place.reading),
      prompts: place.prompts.filter(({ isStarted }) => !isStarted),
    }
    await store([turnEnd(result, spent)])
    notify()
  }

  function takeSystem(line: Extract<StreamLine, { type: 'system' }>): void {
    const { subtype, permissionMode = place.permissionMode } = line
    place = { ...place, conversation: line.session_id, permissionMode }
    if (subtype === 'api_retry') {
      const { attempt = 0, max_retries: most = 0, error = 'a failure' } = line
      const reason = `The model does not answer (${error}). Claude Code tries again: ${attempt} of ${most}.`
      const isLogin = error === 'authentication_failed'
      retrying = isLogin
        ? { is: 'waiting', reason: `${reason} Log in with "claude" in a terminal.` }
        : { is: 'working', reason }
    }
    // The first line of each turn. The hook for the prompt comes before it.
    if (subtype === 'init' && !place.runsHooks) {
      runsNoHooks = true
      if (template?.own_tools === 'required') {
        fault = `The session was stopped: ${hooksAreOff.reason}`
        void stop()
      }
    }
    notify()
  }

  async function read(): Promise<void> {
    for await (const { bytes, end } of pacedLines(program, { since: place.offset, room, signal: either })) {
      const before = place
      place = { ...place, offset: end }
      const line = parseStreamLine(bytes)
      if (line) await take(line, before)
      else await refuseUnknown(bytes)
      // Otherwise the journal would be full of lines that are no part of the thread, and the program would wait.
      if (end - storedAt > storeEveryBytes) await store([])
    }
    disposing.signal.throwIfAborted()
    requests.cancelAll()
    if (leaving.signal.aborted) fault ??= unreadNote(program.offset - place.offset)
    const [prompt] = place.prompts
    if (prompt) {
      const reason = howEnded(program)
      place = { ...place, prompts: [] }
      const status = isStopAsked ? 'interrupted' : 'failed'
      await store([{ type: 'complete', key: `end:${prompt.uuid}`, at: new Date().toISOString(), status, reason }])
    }
  }

  async function refuseUnknown(bytes: Buffer): Promise<void> {
    const request = unknownRequest(bytes)
    if (!request || answered.has(request.id)) return
    await write(refusalOf(request.id, `Signalbox does not answer ${request.subtype}.`)).catch(() => {})
  }

  let isStopAsked = false
  async function stop(): Promise<void> {
    isStopAsked = true
    requests.cancelAll()
    await stopPipedProgram(program)
    const unread = () => program.offset - place.offset
    await readRest(reading, unread, () => leaving.abort())
    await reading
  }

  /** It would wait for ever for answers to what it says from now on. */
  async function stopUnreadable(): Promise<void> {
    fault = `${fault} So the session was stopped.`
    try {
      await stop()
    } catch (error) {
      fault = `${fault} ${messageOf(error)}`
    }
    notify()
  }

  async function send(text: string): Promise<void> {
    const uuid = randomUUID()
    place = { ...place, prompts: [...place.prompts, { uuid, isStarted: false }] }
    notify()
    try {
      await write(userMessage(uuid, text))
    } catch (error) {
      place = { ...place, prompts: place.prompts.filter((prompt) => prompt.uuid !== uuid) }
      notify()
      throw error
    }
  }

  /** `undefined`: it takes a prompt now. */
  async function whyNoPrompt(signal: AbortSignal): Promise<string | undefined> {
    const look = async () => {
      const held = session.heldCall()
      if (program.status.is !== 'running') return { reason: 'Claude Code has ended.' }
      if (held) return { reason: `It waits for a person: ${held.reason ?? held.approval}` }
      if (activity.is === 'waiting') return { reason: `It waits for a person: ${activity.reason}` }
      return place.prompts.length === 0 ? { reason: undefined } : undefined
    }
    const onChange = (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
    const found = await waitUntil({ sources: [onChange], look, timeoutMs: longestTurnMs, signal })
    return found ? found.reason : 'It still works on an earlier prompt.'
  }

  const promptOneByOne = createSerial()
  if (program.status.is === 'running' && program.input.sequence === 0) await write(initialize)
  // A resumed session takes over the thread of the earlier session at once, even before the agent says something.
  if (session.isResumed) await store([])
  notify()
  const reading = read().then(
    () => {
      ended = program.status
      const { status } = program
      if (status.is === 'exited' && status.code !== 0 && !isStopAsked) fault ??= howEnded(program)
      notify()
    },
    (error: unknown) => {
      if (disposing.signal.aborted) return
      fault = `The hub cannot read what Claude Code says: ${messageOf(error)}`
      isUnreadable = true
      program.onChange(notify)
      notify()
      if (error instanceof HubError && error.code === 'too-large') void stopUnreadable()
    },
  )

  function governed(): Governed {
    if (place.runsHooks) return governedIn(place.permissionMode)
    return runsNoHooks ? hooksAreOff : notSeenYet
  }

  return {
    get status() {
      const { status } = program
      return ended ?? (status.is === 'running' || isUnreadable ? status : { is: 'running' })
    },
    get activity() {
      return activity
    },
    get fault() {
      return fault ?? storeFault ?? program.fault
    },
    hasThread: true,
    get governed() {
      return governed()
    },
    get question() {
      return requests.question
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    prompt: (text, signal) =>
      promptOneByOne(async () => {
        // Before it has the tools of the hub, Claude Code would say that they do not exist.
        if (template?.connects) await session.agentConnected(signal)
        const reason = await whyNoPrompt(signal)
        if (reason !== undefined) return { delivered: false, reason }
        await send(text)
        return { delivered: true }
      }),
    async steer(text) {
      if (place.prompts.length === 0) throw new HubError('conflict', 'It is idle. Call prompt_session.')
      await send(text)
    },
    async interrupt() {
      if (place.prompts.length > 0) await write(interruptRequest(randomUUID()))
    },
    answer: (question, text) => requests.answer(question, text),
    stop,
    [Symbol.dispose]() {
      disposing.abort()
      listeners.clear()
      program.release()
    },
  }
}
