/** Finds the end of each call, turn and approval in the stream of events. */
import type { LoggedEvent } from '../api/event.ts'
import { hasType } from '../api/event.ts'
import { endTypeOf, isLastAnswer } from '../api/trace.ts'
import { makeSpan } from './make-span.ts'
import type { FinishedSpan } from './span.ts'

export interface OpenSpans {
  /** In the order of the log. Returns the spans that end with this event. */
  take(event: LoggedEvent): readonly FinishedSpan[]
  /** The `seq` of the events whose spans have not ended. */
  seqs(): readonly number[]
}

/** The hub ends the turns of a session that has ended. If it was killed just then, they have no end. */
const turnEndMs = 60_000

/** Above this limit, the oldest span is finished as unknown. If its end comes later, the span is sent again with it. */
const mostOpen = 10_000

interface Open {
  readonly start: LoggedEvent
  readonly parent: string | undefined
}

/** `isShared`: other hubs write to the same log, so a hub that starts ends no calls. */
export function createOpenSpans({ isShared }: { readonly isShared: boolean }): OpenSpans {
  /** By the id of the event, or by the id of the approval. The oldest first. */
  const open = new Map<string, Open>()
  /** The ids of open calls of tools, by their correlation. The oldest first. */
  const calls = new Map<string, Set<string>>()
  /** The newest events `session-ended`. */
  const endedSessions: LoggedEvent[] = []

  function begin(key: string, start: LoggedEvent): readonly FinishedSpan[] {
    const { correlation } = start
    // As in the tree of `get_trace`: an event without a parent belongs to the newest open call of its correlation.
    const ofCorrelation = correlation === undefined ? undefined : calls.get(correlation)
    open.set(key, { start, parent: start.parent ?? [...(ofCorrelation ?? [])].at(-1) })
    if (correlation !== undefined && hasType(start, 'tool-called')) {
      calls.set(correlation, (ofCorrelation ?? new Set()).add(key))
    }
    const [oldest] = open.keys()
    return open.size > mostOpen ? finish([oldest!], start, 'unknown') : []
  }

  function take(key: string): Open | undefined {
    const found = open.get(key)
    open.delete(key)
    const correlation = found?.start.correlation ?? ''
    const ofCorrelation = calls.get(correlation)
    ofCorrelation?.delete(key)
    if (ofCorrelation?.size === 0) calls.delete(correlation)
    return found
  }

  /** Finishes spans whose own end will not come. */
  function finish(keys: readonly string[], end: LoggedEvent, outcome: 'unknown' | 'cut'): readonly FinishedSpan[] {
    return keys.flatMap((key) => {
      const found = take(key)
      return found ? [makeSpan({ id: found.start.id, ...found, end, outcome })] : []
    })
  }

  function keysOf(isIt: (start: LoggedEvent) => boolean): readonly string[] {
    return [...open].filter(([, { start }]) => isIt(start)).map(([key]) => key)
  }

  /** `now`: the newest event. */
  function endTurns(now: LoggedEvent): readonly FinishedSpan[] {
    const [ended] = endedSessions
    if (!ended || Date.parse(now.at) - Date.parse(ended.at) <= turnEndMs) return []
    endedSessions.shift()
    const isOfSession = ({ session, seq }: LoggedEvent) => session === ended.session && seq < ended.seq
    const keys = keysOf((start) => hasType(start, 'turn-started') && isOfSession(start))
    return [...finish(keys, ended, 'cut'), ...endTurns(now)]
  }

  /** If the beginning is not known, the end still has nearly all of the span, including its duration. */
  function end(event: LoggedEvent): readonly FinishedSpan[] {
    const id = event.parent
    if (id === undefined || !isLastAnswer(event)) return []
    const found = take(id)
    return [makeSpan({ id, start: found?.start, end: event, parent: found?.parent })]
  }

  function endApproval(event: LoggedEvent): readonly FinishedSpan[] {
    const found = take(approvalOf(event))
    return found ? [makeSpan({ id: found.start.id, ...found, end: event })] : []
  }

  function endedBy(event: LoggedEvent): readonly FinishedSpan[] {
    switch (event.type) {
      case 'turn-started':
      case 'tool-called':
      case 'model-called':
        return begin(event.id, event)
      case 'tool-answered':
      case 'model-answered':
      case 'turn-ended':
        return end(event)
      case 'approval-requested':
        return begin(approvalOf(event), event)
      case 'approval-decided':
      case 'approval-expired':
      case 'approval-abandoned':
        return endApproval(event)
      case 'hub-started':
        return isShared ? [] : finish(keysOf(isOfHubProcess), event, 'unknown')
      case 'session-ended':
        endedSessions.push(event)
        return []
      default:
        return []
    }
  }

  return {
    take: (event) => [...endTurns(event), ...endedBy(event)],
    seqs: () => [...open.values()].map(({ start }) => start.seq),
  }
}

/** A turn goes on in the agent's own program, and an approval in the store. */
function isOfHubProcess(start: LoggedEvent): boolean {
  return endTypeOf(start) !== undefined && !hasType(start, 'turn-started')
}

function approvalOf({ payload }: LoggedEvent): string {
  return `approval ${String(payload['approval'])}`
}
