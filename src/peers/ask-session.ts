/**
 * Asks the agent of a session and waits for its answer, for the agent of another session or for a person.
 *
 *   may it ask? → wait in line → turn → prompt → the answer, a question for a person, or the end of the session
 */
import type { Asked, AskRequest, AskSession } from '../api/ask-session.ts'
import { isOver } from '../api/session.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { waitUntil } from '../base/wait-until.ts'
import type { Run } from '../drivers/drivers.ts'
import type { Turn, Turns } from '../gate/gate.ts'
import { assertMayAsk } from './may-ask.ts'
import type { PeerRecord, PeerSessions } from './peer.ts'
import { createTurnQueue } from './turn-queue.ts'
import { createWaitGraph } from './wait-graph.ts'

export interface AskOptions {
  readonly sessions: PeerSessions
  readonly turns: Pick<Turns, 'begin' | 'callersOf' | 'placeOf' | 'isRunning' | 'onEnd'>
  readonly threads: { currentOf(session: string): string | undefined }
  readonly hopLimit: number
  /** The hub stops. The agents continue their turns. */
  readonly stopping: AbortSignal
  readonly log: Log
}

/** As long as an approval can wait for its answer. */
const longestMs = 3_600_000
/** Callers with a time limit of their own learn this often that the peer is still there. */
const progressMs = 5_000

export function createAskSession({ sessions, turns, threads, hopLimit, stopping, log }: AskOptions): AskSession {
  const waits = createWaitGraph()
  const queue = createTurnQueue(turns)

  async function ask(peer: PeerRecord, caller: PeerRecord | undefined, request: AskRequest): Promise<Asked> {
    const { text, correlation, event, onProgress = () => {} } = request
    using ends = new DisposableStack()
    const callersTurn = caller && endOfTurn(caller, ends)
    const signal = AbortSignal.any([request.signal, stopping, ...(callersTurn ? [callersTurn] : [])])
    if (turns.isRunning(peer.id)) onProgress(`"${peer.name}" works on another prompt. This one waits.`)
    using held = new DisposableStack()
    held.use(await queue.enter(peer, signal))
    const { record, run } = await runOf(peer.id)
    const turn = await turns.begin({
      session: record,
      caller,
      prompt: text,
      isBusy: sessions.activityOf(record).is === 'working',
      correlation,
      parent: event,
    })
    held.dispose()
    const { delivered, reason = 'The agent did not take the prompt.' } = await turn.deliver(() =>
      run.prompt(text, signal),
    )
    if (!delivered) {
      const message = `"${record.name}" did not get the prompt: ${reason}`
      throw new HubError('unavailable', message, { data: { delivered: false } })
    }
    try {
      return { ...(await answerOf(record, run, turn, { signal, onProgress })), ...placeOf(record, turn) }
    } catch (error) {
      if (!stopping.aborted) await interrupt(record, run, turn)
      throw stopping.aborted ? hubStops(record) : error
    }
  }

  /** Aborts when the turn of the caller ends, because then no caller waits for the answer. */
  function endOfTurn({ id, name }: PeerRecord, ends: DisposableStack): AbortSignal | undefined {
    const asking = turns.placeOf(id)?.parent
    if (asking === undefined) return undefined
    const over = new AbortController()
    const look = () => {
      if (turns.placeOf(id)?.parent !== asking) over.abort(new HubError('conflict', `The turn of "${name}" has ended.`))
    }
    ends.defer(turns.onEnd(id, look))
    return over.signal
  }

  async function runOf(id: string): Promise<{ readonly record: PeerRecord; readonly run: Run }> {
    const record = await sessions.find(id)
    if (isOver(record.status)) {
      throw new HubError('conflict', `"${record.name}" has ended. Call sessions_list for the sessions that run.`)
    }
    const run = await sessions.runOf(record)
    if (run.hasThread) return { record, run }
    throw new HubError(
      'invalid',
      `"${record.name}" has no agent whose answers the hub can read. Call sessions_list for the others.`,
    )
  }

  async function answerOf(
    record: PeerRecord,
    { question }: Run,
    turn: Turn,
    { signal, onProgress }: { readonly signal: AbortSignal; onProgress(message: string): void },
  ): Promise<Pick<Asked, 'status' | 'answer' | 'reason' | 'question' | 'usage'>> {
    const { id, name } = record
    const before = question?.id
    let told = { message: '', at: 0 }
    const found = await waitUntil({
      sources: [
        (listener) => turns.onEnd(id, listener),
        (listener) => sessions.onChange(id, listener),
        (listener) => {
          const timer = setInterval(listener, progressMs)
          return () => clearInterval(timer)
        },
      ],
      async look() {
        if (turn.outcome) return turn.outcome
        const current = await sessions.find(id)
        const { question: asked } = await sessions.runOf(current)
        if (asked && asked.id !== before) {
          const reason = `"${name}" asks a person. It continues when answer_question has answered.`
          return { status: 'waiting' as const, reason, question: asked }
        }
        const { is, reason } = sessions.activityOf(current)
        const message =
          is === 'waiting' ? `"${name}" waits for a person: ${reason ?? 'see its screen'}` : `"${name}" works.`
        if (message === told.message && Date.now() - told.at < progressMs) return undefined
        told = { message, at: Date.now() }
        onProgress(message)
        return undefined
      },
      timeoutMs: longestMs,
      signal,
    })
    if (found) return found
    throw new HubError(
      'unavailable',
      `"${name}" did not answer within ${longestMs / 60_000} minutes. It was interrupted.`,
    )
  }

  /** Only the turn that was asked for: another may have come before it. */
  async function interrupt({ name }: PeerRecord, run: Run, turn: Turn): Promise<void> {
    if (turn.outcome || !turn.isCurrent || !run.interrupt) return
    try {
      await run.interrupt()
    } catch (error) {
      log.warn({ session: name, error: messageOf(error) }, 'could not interrupt a session that nobody waits for')
    }
  }

  function placeOf({ id, name }: PeerRecord, { cursor }: Turn) {
    const thread = threads.currentOf(id)
    return {
      turn: cursor,
      route: `session:${name}`,
      session_id: id,
      ...(thread !== undefined && { thread_id: thread }),
    }
  }

  return async (request) => {
    const peer = await sessions.find(request.session)
    const caller = request.caller === undefined ? undefined : await sessions.find(request.caller)
    if (!caller) return ask(peer, undefined, request)
    assertMayAsk({ caller, peer, callers: turns.callersOf(caller.id), waits, hopLimit })
    using _ = waits.enter(caller, peer)
    return await ask(peer, caller, request)
  }
}

function hubStops({ name }: PeerRecord): HubError {
  return new HubError('unavailable', `The hub is stopping. "${name}" continues with the prompt; ask again later.`)
}
