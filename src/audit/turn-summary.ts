/** Sums up the events of a turn. */
import type { LoggedEvent } from '../api/event.ts'
import { hasType, readEvent } from '../api/event.ts'
import type { Usage } from '../api/thread.ts'
import { endTypeOf } from '../api/trace.ts'
import type { TurnSummary } from '../api/turn.ts'
import { addUsage, noUsage } from '../api/usage.ts'

/** `events`: of the correlation of the turn, in the order of the log. */
export function summarize(
  started: LoggedEvent,
  events: readonly LoggedEvent[],
): Omit<TurnSummary, 'prompt' | 'number'> {
  const own = events.filter(({ seq }) => seq >= started.seq)
  const ended = own.find((event) => event.parent === started.id && hasType(event, 'turn-ended'))
  const end = ended && readEvent(ended, 'turn-ended')?.payload
  const chain = readEvent(started, 'turn-started')?.payload.chain ?? []
  const thread = ended?.thread ?? started.thread
  const usage = usageOf(own)
  return {
    correlation: started.correlation ?? '',
    session: chain.at(-1) ?? started.session ?? '',
    session_id: started.session ?? '',
    ...(chain.length > 1 && { asked_by: chain.at(-2)! }),
    ...(thread !== undefined && { thread }),
    started_at: started.at,
    status: end?.status ?? 'running',
    ...(end?.reason !== undefined && { reason: end.reason }),
    ...(end && { ms: end.ms }),
    ...heldIn(own, ended !== undefined),
    spans: own.filter((event) => endTypeOf(event) !== undefined).length,
    sessions: new Set(own.filter((event) => hasType(event, 'turn-started')).map(({ session }) => session)).size,
    denied: own.filter((event) => hasType(event, 'tool-answered') && isDenial(event.payload['outcome'])).length,
    routes: [...new Set(own.flatMap(({ route }) => route ?? []))].toSorted(),
    ...(usage && { usage }),
  }
}

function isDenial(outcome: unknown): boolean {
  return outcome === 'denied' || outcome === 'aborted'
}

/** Several calls may wait at the same time. Overlapping time counts once. */
function heldIn(events: readonly LoggedEvent[], isOver: boolean): Pick<TurnSummary, 'held_ms' | 'held_since'> {
  const open = new Map<unknown, string>()
  let since: string | undefined
  let ms = 0
  for (const event of events) {
    if (!event.type.startsWith('approval-')) continue
    const approval = event.payload['approval']
    if (hasType(event, 'approval-requested')) {
      since ??= event.at
      open.set(approval, event.at)
    } else if (open.delete(approval) && open.size === 0 && since !== undefined) {
      ms += Date.parse(event.at) - Date.parse(since)
      since = undefined
    }
  }
  return { held_ms: ms, ...(since !== undefined && !isOver && { held_since: since }) }
}

/** A turn reports its usage when it ends. Until then, the usage of its model calls counts, if the hub makes them. */
function usageOf(events: readonly LoggedEvent[]): Usage | undefined {
  const ends = events.filter((event) => hasType(event, 'turn-ended') && event.payload['usage'] !== undefined)
  const told = new Set(ends.map(({ session }) => session))
  const answers = events.filter((event) => hasType(event, 'model-answered') && !told.has(event.session))
  const used = [
    ...ends.flatMap((event) => readEvent(event, 'turn-ended')?.payload.usage ?? []),
    ...answers.flatMap((event) => readEvent(event, 'model-answered')?.payload.usage ?? []),
  ]
  return used.length === 0 ? undefined : used.reduce(addUsage, noUsage)
}
