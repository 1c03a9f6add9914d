/**
 * An agent that speaks ACP on pipes. Its program outlives the hub: the next hub continues in the journal at the last
 * place where nothing was incomplete, and answers the questions that are still open.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Activity, Governed } from '../../api/session.ts'
import type { NewEntry } from '../../api/thread.ts'
import { dropOldest } from '../../base/drop-oldest.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { jsonSize } from '../../base/json-size.ts'
import type { Log } from '../../base/log.ts'
import { createSerial } from '../../base/serial.ts'
import { waitUntil } from '../../base/wait-until.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'
import type { Delivery, Run, RunSession } from '../port/driver.ts'
import type { AnswerPlace } from '../port/answer-room.ts'
import { createAnswerRoom } from '../port/answer-room.ts'
import { pacedLines } from '../port/paced-lines.ts'
import { readRest, unreadNote } from '../port/read-rest.ts'
import { stopPipedProgram } from '../port/stop-piped-program.ts'
import { writeWhenRead } from '../port/write-when-read.ts'
import type { KnownCall } from './own-tool.ts'
import { isAskedByDefault, isHubTool, toOwnTools } from './own-tool.ts'
import { pastInputs } from './place.ts'
import { howItEnded, statusOf } from './program-state.ts'
import type { Place } from './transcript.ts'
import { createTranscript } from './transcript.ts'
import type { Incoming, Permission, RequestId } from './wire.ts'
import { protocolVersion, readLine, recordOf } from './wire.ts'

export interface AcpRunOptions {
  readonly session: RunSession
  readonly program: PipedProgram
  /** Where to continue reading. */
  readonly place: Place
  /** Whether the gate covers the agent, as known before it runs a tool. */
  readonly governed: Governed
  readonly log: Log
}

export interface AcpRun extends Run {
  /** Introduces the hub and opens a session. `params` may hold a secret. */
  open(method: 'session/new' | 'session/load', params: object): Promise<void>
}

/** It is told to ask. Only its first question shows that it does. */
const notAskedYet: Governed = {
  is: 'no',
  reason: 'It is told to ask the hub about all its own tools. It has used none yet.',
  unproven: true,
}
const draftEveryMs = 50
/** opencode may ask before it says what it wants to run. */
const describedWithinMs = 5_000
const startsWithinMs = 120_000
const longestTurnMs = 86_400_000
const repeatPauseMs = 500
/** Of the calls of a turn, decisions and requests are kept for so many. */
const mostDecisions = 1_000
/** About one call. */
const mostRequests = 100
const mostAnswered = 10_000
const storeEveryBytes = 8 * 1024 * 1024

export function createAcpRun({ session, program, place, governed, log }: AcpRunOptions): AcpRun {
  const listeners = new Set<() => void>()
  const disposing = new AbortController()
  /** Fires when the rest of the output is not read any more. */
  const leaving = new AbortController()
  const either = AbortSignal.any([disposing.signal, leaving.signal])
  const room = createAnswerRoom()
  const oneByOne = createSerial()
  const transcript = createTranscript(session.id, place)
  const past = pastInputs(program, place)
  /** The questions that an earlier hub has answered, with the option. */
  const answered = new Map(past.flatMap(({ said }) => (said.is === 'answer' ? [[said.id, said.option] as const] : [])))
  /** Requests that opened the agent's session. They may hold a secret, so their text was not recorded. */
  const opening = new Set(
    [...program.inputs(0)].flatMap(({ sequence, text }) => (text === undefined ? [sequence] : [])),
  )
  /** The calls of the turn: an agent may ask about one call more than once. */
  const decisions = new Map<string, AskedCall>()
  let turnEnds = new AbortController()
  let fault: string | undefined
  let since = new Date().toISOString()
  let isDrafting = false
  let isOver = false
  let readTo = place.offset
  /** The offset at which the place was last to be stored. */
  let storedAt = place.offset

  function notify(): void {
    for (const listener of listeners) listener()
  }

  function onChange(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  function activity(): Activity {
    if (transcript.session === undefined) return { is: 'unknown', since, source: 'none', confidence: 0 }
    const is = transcript.turn === undefined ? 'idle' : 'working'
    return { is, since, source: 'agent', confidence: 1 }
  }

  /** Call it in `oneByOne`, so that the numbers of the inputs are in order. */
  async function send(message: object, options: { readonly secret?: boolean } = {}): Promise<void> {
    const line = `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
    await writeWhenRead(program, line, { options: { sequence: nextId(), ...options }, signal: either })
  }

  /** The id of a request is the number of its input. */
  function nextId(): number {
    return program.input.sequence + 1
  }

  async function store(entries: readonly NewEntry[], offset?: number): Promise<void> {
    if (transcript.session === undefined || entries.length === 0) return
    const reached = offset === undefined ? undefined : transcript.placeAt(offset)
    await session.thread.append(transcript.session, entries, reached && { readTo: JSON.stringify(reached) })
    if (reached) program.processed(reached.offset)
  }

  /** Otherwise the journal would be full of lines that are no part of the thread, and the program would wait. */
  async function storePlace(offset: number): Promise<void> {
    storedAt = offset
    const reached = transcript.placeAt(offset)
    if (transcript.session === undefined || !reached) return
    await session.thread.append(transcript.session, [], { readTo: JSON.stringify(reached) })
    program.processed(offset)
  }

  function showDraft(): void {
    if (isDrafting || !transcript.draft) return
    isDrafting = true
    setTimeout(() => {
      isDrafting = false
      if (transcript.session !== undefined && transcript.draft && !disposing.signal.aborted) {
        session.thread.draft(transcript.session, transcript.draft)
      }
    }, draftEveryMs).unref()
  }

  async function handle(message: Incoming, end: number): Promise<void> {
    const wasOpen = transcript.turn
    const entries = transcript.read(message, now())
    await store(entries, end)
    if (wasOpen !== transcript.turn) endTurn()
    if (message.is === 'update') return noteUpdate()
    if (message.is === 'result' && opening.has(message.id)) return noteOpened(message.result)
    if (message.is === 'result' && message.id === 1) return checkVersion(message.result)
    if (message.is === 'failure' && (opening.has(message.id) || message.id === 1)) return fail(whyNotOpened(message))
    if (message.is === 'permission') return notePermission(message.id, message.permission)
    if (message.is === 'unknown' && !answered.has(message.id)) {
      await send({ id: message.id, error: { code: -32601, message: `The hub has no method ${message.method}.` } })
    }
  }

  function noteUpdate(): void {
    showDraft()
    if (transcript.unasked === undefined || session.template?.own_tools !== 'required') return notify()
    fail(
      `${transcript.unasked} ran without asking the hub, and the template requires that the policy covers it. Check the settings of the agent.`,
    )
  }

  function noteOpened(result: Readonly<Record<string, unknown>>): void {
    const id = result['sessionId'] ?? session.conversation
    if (typeof id !== 'string') return fail('The agent did not name its session. It may be too new for this hub.')
    transcript.begin(id, modelOf(result))
    since = now()
    notify()
  }

  function checkVersion({ protocolVersion: spoken }: Readonly<Record<string, unknown>>): void {
    if (spoken !== protocolVersion) {
      fail(`The agent speaks version ${String(spoken)} of ACP, but the hub speaks version 1. Install another version.`)
    }
  }

  function whyNotOpened({ code, message }: Incoming & { readonly is: 'failure' }): string {
    const agent = session.template?.label ?? session.template?.name ?? 'The agent'
    if (code === -32000) {
      return `${agent} needs a login: ${message} Run it once in a terminal and log in, then start the session again.`
    }
    if (session.isResumed) return `${agent} could not continue the conversation: ${message}. Start another session.`
    return `${agent} could not start: ${message}.`
  }

  /** Ends the session, because it cannot continue. */
  function fail(reason: string): void {
    fault = reason
    notify()
    void stopPipedProgram(program).catch((error: unknown) =>
      log.warn({ session: session.name, error }, 'could not stop it'),
    )
  }

  function cancelQuestions(): void {
    turnEnds.abort()
    turnEnds = new AbortController()
    if (isOver) turnEnds.abort()
  }

  /** The agent has ended or is being stopped, so it waits for no answer, also not to a later question. */
  function giveUpQuestions(): void {
    isOver = true
    turnEnds.abort()
  }

  function endTurn(): void {
    cancelQuestions()
    decisions.clear()
    since = now()
    notify()
  }

  function notePermission(id: RequestId, permission: Permission): void {
    if (program.status.is !== 'running') giveUpQuestions()
    const call = transcript.callOf(permission.toolCall.toolCallId)
    if (!call) return void oneByOne(() => answer(id, permission, { is: 'cancelled' })).catch(noteFailure)
    if (!answered.has(id)) return void settle(id, permission, call).catch(noteFailure)
    const chosen = permission.options.find(({ optionId }) => optionId === answered.get(id))
    if (chosen?.kind.startsWith('allow')) return
    void oneByOne(() => store(transcript.refuse(call, 'It was refused.', now()))).catch(noteFailure)
  }

  function noteFailure(error: unknown): void {
    if (!disposing.signal.aborted) log.warn({ session: session.name, error: messageOf(error) }, 'an answer was lost')
  }

  async function settle(id: RequestId, permission: Permission, call: KnownCall): Promise<void> {
    const { signal } = turnEnds
    const inRoom = room.enter(jsonSize(call))
    try {
      const asked = decisions.get(call.id) ?? askAbout(call, inRoom, signal)
      // An earlier request about the same call may wait for a person.
      if (asked.inRoom !== inRoom) inRoom.leave()
      const decided = asked.requests++ < mostRequests ? await asked.decision : askedTooOften
      if (disposing.signal.aborted || program.status.is !== 'running') return
      await oneByOne(async () => {
        await answer(id, permission, signal.aborted ? { is: 'cancelled' } : decided)
        if (decided.is === 'refused' && !signal.aborted) {
          await store(transcript.refuse(transcript.callOf(call.id) ?? call, decided.reason, now()))
          if (decided.endsTurn) await send({ method: 'session/cancel', params: { sessionId: transcript.session } })
        }
      })
    } finally {
      inRoom.leave()
    }
  }

  function askAbout(call: KnownCall, inRoom: AnswerPlace, signal: AbortSignal): AskedCall {
    const decision = decide(call.id, call, inRoom, signal).catch((error: unknown) => undecided(call, error, signal))
    const asked = { decision, inRoom, requests: 0 }
    decisions.set(call.id, asked)
    dropOldest(decisions, mostDecisions)
    return asked
  }

  async function decide(id: string, first: KnownCall, inRoom: AnswerPlace, turn: AbortSignal): Promise<Decision> {
    if (isHubTool(first, await session.ownTools.toolsOfHub())) return { is: 'allowed' }
    const signal = AbortSignal.any([turn, disposing.signal])
    const tools = await describedTools(id, first, signal)
    const call = transcript.callOf(id) ?? first
    if (tools.length === 0) {
      return { is: 'refused', reason: `The agent did not say what ${call.name} is about.`, endsTurn: false }
    }
    await oneByOne(() => store(transcript.ask(call, now())))
    for (const tool of tools) {
      const outcome = await session.ownTools.authorize({
        ...tool,
        agentAsks: isAskedByDefault(call),
        signal,
        onHeld: () => inRoom.leave(),
      })
      if (outcome.is === 'refused') return outcome
      outcome.end('ok')
    }
    return { is: 'allowed' }
  }

  /**
   * The decision on a call that could not be judged: its turn has ended, or the hub failed. The reason must not blame
   * the agent.
   */
  function undecided({ name }: KnownCall, error: unknown, turn: AbortSignal): Decision {
    if (turn.aborted || disposing.signal.aborted) return { is: 'cancelled' }
    return {
      is: 'refused',
      reason: `The hub could not judge ${name}: ${messageOf(error)}. It has not run.`,
      endsTurn: false,
    }
  }

  async function describedTools(id: string, first: KnownCall, signal: AbortSignal) {
    const tools = await waitUntil({
      sources: [onChange],
      look() {
        const found = toOwnTools(transcript.callOf(id) ?? first, session.workspacePath)
        return found.length > 0 ? found : undefined
      },
      timeoutMs: describedWithinMs,
      signal,
    })
    return tools ?? []
  }

  async function answer(id: RequestId, { options }: Permission, decision: Decision): Promise<void> {
    const kind = { allowed: 'allow_once', refused: 'reject_once', cancelled: undefined }[decision.is]
    const option = options.find((each) => each.kind === kind)
    const outcome = option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' }
    answered.set(id, option?.optionId)
    dropOldest(answered, past.length + mostAnswered)
    await send({ id, result: { outcome } })
  }

  /** Stores the prompts that an earlier hub sent up to this offset of the output. */
  async function catchUp(offset: number): Promise<void> {
    while (past[0] && past[0].offset <= offset) {
      const { said, at } = past.shift()!
      if (said.is === 'prompt') await store(transcript.prompt(said.id, said.text, at))
    }
  }

  async function follow(): Promise<void> {
    await oneByOne(() => catchUp(place.offset))
    for await (const { bytes, end } of pacedLines(program, { since: place.offset, room, signal: either })) {
      await oneByOne(async () => {
        await handle(readLine(bytes), end)
        await catchUp(end)
        readTo = end
        if (end - storedAt > storeEveryBytes) await storePlace(end)
      })
    }
    if (disposing.signal.aborted) return
    if (leaving.signal.aborted) fault ??= unreadNote(program.offset - readTo)
    await oneByOne(() => store(transcript.end(howItEnded(program), now())))
    endTurn()
  }

  /**
   * Waits until Gemini CLI has repeated a loaded conversation. It does so after its answer, and does not say when it is
   * done.
   */
  async function repeated(signal: AbortSignal): Promise<void> {
    for (let before = -1; before !== program.offset && !signal.aborted;) {
      before = program.offset
      await sleep(repeatPauseMs, undefined, { ref: false })
    }
  }

  async function becomeIdle(signal: AbortSignal): Promise<Delivery> {
    const hasEnded = () => program.status.is !== 'running' || fault !== undefined
    const either = AbortSignal.any([signal, disposing.signal])
    const isReady = () => transcript.session !== undefined || hasEnded() || undefined
    const wait = { sources: [onChange], signal: either }
    if (!(await waitUntil({ ...wait, look: isReady, timeoutMs: startsWithinMs }))) {
      return { delivered: false, reason: `The agent did not start within ${startsWithinMs / 1000} seconds.` }
    }
    if (!hasEnded()) await session.agentConnected(either)
    if (session.isResumed && transcript.turn === undefined) await repeated(either)
    await waitUntil({
      ...wait,
      look: () => transcript.turn === undefined || hasEnded() || undefined,
      timeoutMs: longestTurnMs,
    })
    return hasEnded() ? { delivered: false, reason: fault ?? howItEnded(program) } : { delivered: true }
  }

  const following = follow().catch((error: unknown) => {
    const reason = `The hub cannot read what the agent says: ${messageOf(error)}`
    // It would wait for ever for answers to what it says from now on.
    if (error instanceof HubError && error.code === 'too-large') return fail(`${reason} So the session was stopped.`)
    fault = reason
    notify()
  })
  const stopListening = program.onChange(notify)

  return {
    get status() {
      return statusOf(program)
    },
    get activity() {
      return activity()
    },
    get fault() {
      return fault ?? program.fault
    },
    hasThread: true,
    get conversation() {
      return transcript.session
    },
    get governed(): Governed {
      const { unasked, hasAsked } = transcript
      if (unasked !== undefined) return { is: 'partly', reason: `${unasked} ran without asking the hub.` }
      return governed.is === 'yes' && !hasAsked ? notAskedYet : governed
    },
    onChange,
    async open(method, params) {
      const capabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
      const clientInfo = { name: 'signalbox', title: 'Signalbox', version: '1' }
      await oneByOne(async () => {
        const introduced = { protocolVersion, clientCapabilities: capabilities, clientInfo }
        await send({ id: nextId(), method: 'initialize', params: introduced })
        opening.add(nextId())
        await send({ id: nextId(), method, params }, { secret: true })
      })
    },
    async prompt(text, signal) {
      for (;;) {
        const ready = await becomeIdle(signal)
        if (!ready.delivered) return ready
        const isSent = await oneByOne(async () => {
          // Another prompt may have been first.
          if (transcript.turn !== undefined) return false
          const id = nextId()
          const prompt = [{ type: 'text', text }]
          await send({ id, method: 'session/prompt', params: { sessionId: transcript.session, prompt } })
          const entries = transcript.prompt(id, text, now())
          since = now()
          await store(entries)
          return true
        })
        notify()
        if (isSent) return { delivered: true }
      }
    },
    async interrupt() {
      await oneByOne(async () => {
        if (transcript.turn === undefined)
          throw new HubError('conflict', `"${session.name}" does not work on a prompt.`)
        await send({ method: 'session/cancel', params: { sessionId: transcript.session } })
      })
      // The agent waits for an answer to each of its questions.
      cancelQuestions()
    },
    async stop() {
      giveUpQuestions()
      await stopPipedProgram(program)
      // Let its last output reach the thread before the session is over.
      await readRest(
        following,
        () => program.offset - readTo,
        () => leaving.abort(),
      )
      await following
    },
    [Symbol.dispose]() {
      disposing.abort()
      stopListening()
      program.release()
    },
  }
}

interface AskedCall {
  readonly decision: Promise<Decision>
  readonly inRoom: AnswerPlace
  requests: number
}

type Decision =
  | { readonly is: 'allowed' | 'cancelled' }
  | { readonly is: 'refused'; readonly reason: string; readonly endsTurn: boolean }

const askedTooOften: Decision = {
  is: 'refused',
  reason: `The agent has asked about this call more than ${mostRequests} times.`,
  endsTurn: false,
}

/** Gemini CLI lists its models. opencode has the model among its options. */
function modelOf(result: Readonly<Record<string, unknown>>): string | undefined {
  const options = Array.isArray(result['configOptions']) ? result['configOptions'].map(recordOf) : []
  const model =
    recordOf(result['models'])['currentModelId'] ?? options.find(({ id }) => id === 'model')?.['currentValue']
  return typeof model === 'string' ? model : undefined
}

function now(): string {
  return new Date().toISOString()
}
