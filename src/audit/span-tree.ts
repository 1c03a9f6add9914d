/** Puts the events of a trace into a tree by their parents, even if the parents are wrong. */
import type { LoggedEvent } from '../api/event.ts'
import { hasType } from '../api/event.ts'
import type { Detachment, OpenOutcome, Span } from '../api/trace.ts'
import { endTypeOf, isLastAnswer } from '../api/trace.ts'

/** Real traces stay far below. Deeper ones would exceed the nesting of JSON that the hub and its clients accept. */
const deepest = 40

/** `events`: in the order of the log. `outcomes`: of the open ones, by id; `unknown` if it has none. */
export function toTree(
  events: readonly LoggedEvent[],
  outcomes: ReadonlyMap<string, OpenOutcome> = new Map(),
): readonly Span[] {
  const startedAt = Date.parse(events[0]?.at ?? '')
  const places = placesOf(events)
  const listedBelow = limitDepth(places)
  const ends = endsOf(events)
  const spans = new Map<string, Span & { readonly spans: Span[] }>()
  for (const event of events) {
    const { detached } = places.get(event.id)!
    const end = ends.get(event.id)
    const isOpen = endTypeOf(event) !== undefined && !end
    spans.set(event.id, {
      ...fieldsOf(event),
      after_ms: Date.parse(event.at) - startedAt,
      ...(end && { ms: Date.parse(end.at) - Date.parse(event.at) }),
      ...(detached && { detached }),
      ...(isOpen && { outcome: outcomes.get(event.id) ?? 'unknown' }),
      spans: [],
    })
  }
  const roots: Span[] = []
  for (const { id } of events) {
    const parent = listedBelow.get(id)
    const siblings = parent === undefined ? roots : spans.get(parent)!.spans
    siblings.push(spans.get(id)!)
  }
  return roots
}

/** Calls and turns whose end is not among the events. */
export function openIn(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const ends = endsOf(events)
  return events.filter((event) => endTypeOf(event) !== undefined && !ends.has(event.id))
}

/** The last end of each call and turn, by the id of its beginning. */
function endsOf(events: readonly LoggedEvent[]): ReadonlyMap<string, LoggedEvent> {
  const endTypes = new Map(events.map((event) => [event.id, endTypeOf(event)]))
  const ends = events.filter(
    (event) => event.parent !== undefined && endTypes.get(event.parent) === event.type && isLastAnswer(event),
  )
  return new Map(ends.map((end) => [end.parent!, end]))
}

function fieldsOf({ id, type, at, session, thread, correlation, parent, route, provider, payload }: LoggedEvent) {
  const { request: _, response: _1, ...rest } = payload
  return {
    id,
    type,
    at,
    ...(session !== undefined && { session }),
    ...(thread !== undefined && { thread }),
    ...(correlation !== undefined && { correlation }),
    ...(parent !== undefined && { parent }),
    ...(route !== undefined && { route }),
    ...(provider !== undefined && { provider }),
    payload: isOfModel(type) ? rest : payload,
  }
}

function isOfModel(type: string): boolean {
  return type === 'model-called' || type === 'model-answered'
}

interface Place {
  /** `undefined`: a root. */
  readonly parent?: string
  readonly detached?: Detachment
}

function placesOf(events: readonly LoggedEvent[]): Map<string, Place> {
  const ids = new Set(events.map(({ id }) => id))
  const places = new Map<string, Place>()
  const calls = new Map<string, string[]>()
  const answered = new Set<string>()
  for (const event of events) {
    const { id, parent, correlation = '' } = event
    const ofCorrelation = calls.get(correlation) ?? []
    calls.set(correlation, ofCorrelation)
    if (parent === undefined) places.set(id, below(newestOpen(ofCorrelation, answered)))
    else places.set(id, ids.has(parent) ? { parent } : { detached: 'missing' })
    if (hasType(event, 'tool-called')) ofCorrelation.push(id)
    if (hasType(event, 'tool-answered') && parent !== undefined) answered.add(parent)
  }
  breakCycles(places)
  return places
}

function below(parent: string | undefined): Place {
  return parent === undefined ? {} : { parent }
}

/** An event without a parent, such as a nested call, belongs to the newest open call of its correlation. */
function newestOpen(calls: string[], answered: ReadonlySet<string>): string | undefined {
  while (calls.length > 0 && answered.has(calls.at(-1)!)) calls.pop()
  return calls.at(-1)
}

/** One event of each cycle becomes a root. */
function breakCycles(places: Map<string, Place>): void {
  const known = new Set<string>()
  for (const start of places.keys()) {
    const path = new Set<string>()
    for (let id: string | undefined = start; id !== undefined && !known.has(id); id = places.get(id)?.parent) {
      if (path.has(id)) {
        places.set(id, { detached: 'cyclic' })
        break
      }
      path.add(id)
    }
    for (const id of path) known.add(id)
  }
}

/** The event that each event is listed below: its parent, or the nearest ancestor that is not too deep. */
function limitDepth(places: ReadonlyMap<string, Place>): ReadonlyMap<string, string> {
  const depths = new Map<string, number>()
  const listedBelow = new Map<string, string>()
  for (const start of places.keys()) {
    const path: string[] = []
    for (let id: string | undefined = start; id !== undefined && !depths.has(id); id = places.get(id)?.parent) {
      path.push(id)
    }
    for (const id of path.toReversed()) {
      const parent = places.get(id)?.parent
      const above = parent === undefined ? 0 : depths.get(parent)!
      const anchor = above < deepest ? parent : listedBelow.get(parent!)
      if (anchor !== undefined) listedBelow.set(id, anchor)
      depths.set(id, Math.min(above + 1, deepest))
    }
  }
  return listedBelow
}
