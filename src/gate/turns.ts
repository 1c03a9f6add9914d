/**
 * The running turn of each session, and the chain of sessions that the turn is done for. It is stored before the prompt
 * is delivered. So when the next hub finds an agent at work, it knows for whom the agent works.
 *
 *   begin → turn-started → prompt → the thread shows its end, or the session ends → turn-ended
 *
 * As long as it is not certain that a turn has ended, its rules apply.
 */
import { randomUUID } from 'node:crypto'
import type { SessionStatus } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import { isNotFound } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { createSerial } from '../base/serial.ts'
import type { EventLog } from '../events/events.ts'
import type { Store } from '../store/store.ts'
import type { TurnRecord } from './turn-store.ts'
import { createTurnStore } from './turn-store.ts'
import type { ChainMember, Turn, TurnOutcome, Turns, TurnStart } from './turn.ts'

export interface TurnsOptions {
  readonly store: Store
  readonly hubId: string
  readonly events: Pick<EventLog, 'append' | 'appendLater'>
  readonly threads: TurnThreads
  /** Throws if there is no such session. */
  readonly findSession: (
    id: string,
  ) => Promise<{ readonly status: SessionStatus; readonly lastMessage?: string | undefined }>
  readonly log: Log
}

/** The part of the threads that knows when a turn has ended. */
export interface TurnThreads {
  placeOf(session: string, prompt?: string): Promise<ThreadPlace & { readonly cursor: string }>
  turnAfter(session: string, place: ThreadPlace): Promise<TurnOutcome | undefined>
  isQuietAfter(session: string, place: ThreadPlace): Promise<boolean>
  currentOf(session: string): string | undefined
  onChange(session: string, listener: () => void): () => void
}

interface ThreadPlace {
  readonly thread: string | undefined
  readonly seq: number
  readonly at: string
  readonly prompt?: string | undefined
}

interface OpenTurn extends TurnRecord {
  outcome?: TurnOutcome
  isEnding?: boolean
  isDelivering?: boolean
}

interface Followed {
  /** Oldest first. An agent works on them one after another. */
  readonly turns: OpenTurn[]
  stopListening(): void
}

/** Ends that could not be stored are tried again. */
const retryMs = 5_000
const notShown: TurnOutcome = { status: 'failed', reason: 'The agent works on nothing and has not shown the prompt.' }
const gone: TurnOutcome = { status: 'failed', reason: 'The session has ended.' }

export function createTurns({ store, hubId, events, threads, findSession, log }: TurnsOptions): Turns {
  const rows = createTurnStore(store, hubId)
  const followed = new Map<string, Followed>()
  const listeners = new Map<string, Set<() => void>>()
  const oneByOne = createSerial()

  function running(): readonly string[] {
    return [...followed.keys()]
  }

  /** A copy, because turns may end during the iteration. */
  function turnsOf(session: string): readonly OpenTurn[] {
    return [...(followed.get(session)?.turns ?? [])]
  }

  function follow(turn: OpenTurn): void {
    const { session } = turn
    const known = followed.get(session)
    if (known) return void known.turns.push(turn)
    const lookAgain = lookAfterChanges(session)
    const stopListening = threads.onChange(session, () => void lookAgain())
    followed.set(session, { turns: [turn], stopListening })
  }

  /** Ends the turns that the thread shows as ended. */
  async function look(session: string): Promise<void> {
    for (const turn of turnsOf(session)) {
      try {
        const outcome = await threads.turnAfter(session, placeInThread(turn))
        if (outcome) await end(turn, outcome)
      } catch (error) {
        log.warn({ session, error }, 'could not see whether a turn has ended; its rules stay')
      }
    }
  }

  /** A thread changes with each piece of a text. One look at a time is enough, if one follows the last change. */
  function lookAfterChanges(session: string): () => Promise<void> {
    let isLooking = false
    let isChanged = false
    return async () => {
      isChanged = true
      if (isLooking) return
      isLooking = true
      while (isChanged) {
        isChanged = false
        await look(session)
      }
      isLooking = false
    }
  }

  async function end(turn: OpenTurn, { status, reason, answer, usage }: TurnOutcome): Promise<void> {
    if (turn.isEnding) return
    turn.isEnding = true
    try {
      await rows.remove(turn.id)
    } catch (error) {
      turn.isEnding = false
      log.error(
        { session: turn.session, error },
        'could not store the end of a turn; its rules stay, the hub will retry',
      )
      return
    }
    turn.outcome = { status, reason, answer, usage }
    events.appendLater({
      ...placeIn(turn),
      type: 'turn-ended',
      parent: turn.event,
      payload: {
        status,
        ms: Math.max(0, Date.now() - Date.parse(turn.startedAt)),
        ...(reason !== undefined && { reason }),
        ...(usage && { usage }),
      },
    })
    unfollow(turn)
    for (const listener of listeners.get(turn.session) ?? []) listener()
  }

  function unfollow(turn: OpenTurn): void {
    const open = followed.get(turn.session)
    if (!open) return
    open.turns.splice(open.turns.indexOf(turn), 1)
    if (open.turns.length > 0) return
    open.stopListening()
    followed.delete(turn.session)
  }

  async function endAll(session: string, outcome: TurnOutcome): Promise<void> {
    // The thread may already show how a turn ended.
    await look(session)
    for (const turn of turnsOf(session)) await end(turn, outcome)
  }

  /** Ends the turns of a session that is over. Throws if it is not known whether it is. */
  async function endIfOver(session: string): Promise<void> {
    try {
      const { status, lastMessage } = await findSession(session)
      if (isOver(status)) await endAll(session, lastMessage === undefined ? gone : { ...gone, reason: lastMessage })
    } catch (error) {
      if (!isNotFound(error)) throw error
      await endAll(session, gone)
    }
  }

  function callersOf(session: string): readonly ChainMember[] {
    const members = new Map<string, ChainMember>()
    for (const { chain } of turnsOf(session)) {
      for (const member of chain) if (member.id !== session) members.set(member.id, member)
    }
    return [...members.values()]
  }

  function placeIn({ session, thread, correlation }: TurnRecord) {
    const current = threads.currentOf(session) ?? thread
    return { session, correlation, ...(current !== undefined && { thread: current }) }
  }

  async function begin({ session, caller, prompt, isBusy, correlation, parent }: TurnStart): Promise<Turn> {
    const { id, name } = session
    const chain = [...(caller ? [...callersOf(caller.id), caller] : []), session]
    // Another turn may end first: of a prompt before this one, or of one that a person types meanwhile.
    const isTold = caller !== undefined || isBusy || turnsOf(id).length > 0
    const { cursor, ...place } = await threads.placeOf(id, isTold ? prompt : undefined)
    const names = chain.map((member) => member.name)
    const { thread, seq, at: startedAt, prompt: digest } = place
    const turn: OpenTurn = {
      id: `turn-${randomUUID()}`,
      session: id,
      chain,
      correlation,
      event: randomUUID(),
      thread,
      seq,
      prompt: digest,
      startedAt,
    }
    // Stored before its event: the next hub ends the turns that it finds here, and an event without a turn stays open.
    await rows.insert(turn)
    try {
      await events.append({
        id: turn.event,
        type: 'turn-started',
        session: id,
        correlation,
        route: `session:${name}`,
        ...(thread !== undefined && { thread }),
        ...(parent !== undefined && { parent }),
        payload: { chain: names },
      })
    } catch (error) {
      await rows.remove(turn.id)
      throw error
    }
    follow(turn)
    return {
      id: turn.id,
      cursor,
      chain: names,
      get outcome() {
        return turn.outcome
      },
      get isCurrent() {
        return turnsOf(id)[0] === turn
      },
      async deliver(give) {
        turn.isDelivering = true
        try {
          const delivery = await give()
          const { delivered, reason = 'The prompt was not delivered.' } = delivery
          if (!delivered) await end(turn, { status: 'failed', reason })
          return delivery
        } finally {
          turn.isDelivering = false
        }
      },
    }
  }

  return {
    begin: (start) => oneByOne(() => begin(start)),
    placeOf(session) {
      const [turn] = turnsOf(session)
      if (!turn) return undefined
      const { session: _, ...place } = placeIn(turn)
      return { ...place, parent: turn.event }
    },
    callersOf,
    running,
    isRunning: (session) => followed.has(session),
    onEnd(session, listener) {
      const all = listeners.get(session) ?? new Set()
      listeners.set(session, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0) listeners.delete(session)
      }
    },
    async endIdle(session, since) {
      await look(session)
      for (const turn of turnsOf(session)) {
        const place = placeInThread(turn)
        if (turn.startedAt >= since || turn.isDelivering || !(await threads.isQuietAfter(session, place))) continue
        const last = await threads.turnAfter(session, { ...place, prompt: undefined })
        await end(turn, last ?? notShown)
      }
    },
    async start() {
      for (const record of await rows.list()) follow({ ...record })
      for (const session of running()) await endIfOver(session)
    },
    on: { 'session-ended': ({ session }) => endIfOver(session) },
    sweeps: [
      {
        everyMs: retryMs,
        async run() {
          for (const session of running()) {
            await look(session)
            await endIfOver(session)
          }
        },
      },
    ],
  }
}

function placeInThread({ thread, seq, prompt, startedAt }: TurnRecord): ThreadPlace {
  return { thread, seq, prompt, at: startedAt }
}
