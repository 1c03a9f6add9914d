/**
 * Reads the events of one trace. A call whose approval is answered after its hold ends with "waiting", and the agent makes
 * it again under another correlation. The id of the approval joins all calls that asked for it.
 */
import type { LoggedEvent } from '../api/event.ts'
import { hasType } from '../api/event.ts'
import type { EventLog, EventQuery } from '../events/events.ts'

type Events = Pick<EventLog, 'read'>

/** Larger traces are cut. */
const maxEvents = 10_000
/** After an approval was requested, this many events of its session are searched for its calls. */
const maxSearched = 100_000

/** `id`: a correlation or the id of an approval. Oldest first; empty if the log has neither. */
export async function readTrace(events: Events, id: string): Promise<readonly LoggedEvent[]> {
  const correlations = new Map<string, readonly LoggedEvent[]>()
  const approvals = new Set<string>()

  async function addCorrelation(correlation: string): Promise<void> {
    if (correlations.has(correlation) || countOf(correlations) >= maxEvents) return
    const found = await readAll(events, correlation)
    correlations.set(correlation, found)
    for (const event of found) {
      const approval = approvalOf(event)
      if (approval !== undefined) await addApproval(approval, event.session)
    }
  }

  async function addApproval(approval: string, session?: string): Promise<void> {
    if (approvals.has(approval)) return
    approvals.add(approval)
    const requested = await findRequest(events, approval, session)
    if (!requested) return
    for (const correlation of await correlationsOf(events, requested)) await addCorrelation(correlation)
  }

  await addCorrelation(id)
  if (countOf(correlations) === 0) await addApproval(id)
  return [...correlations.values()].flat().toSorted((a, b) => a.seq - b.seq)
}

/** The approval that a call asked for. Other events may name one too, such as a revoked grant. */
function approvalOf(event: LoggedEvent): string | undefined {
  const { approval } = event.payload
  const isOfCall = hasType(event, 'tool-answered') || event.type.startsWith('approval-')
  return isOfCall && typeof approval === 'string' ? approval : undefined
}

async function readAll(events: Events, correlation: string): Promise<readonly LoggedEvent[]> {
  const found: LoggedEvent[] = []
  for await (const page of pagesOf(events, { correlation })) {
    found.push(...page)
    if (found.length >= maxEvents) break
  }
  return found
}

async function findRequest(events: Events, approval: string, session?: string): Promise<LoggedEvent | undefined> {
  const query = { type: 'approval-requested', order: 'newest', ...(session !== undefined && { session }) } as const
  for await (const page of pagesOf(events, query)) {
    const found = page.find((event) => approvalOf(event) === approval)
    if (found) return found
  }
  return undefined
}

/** Of the call that requested the approval, and of the equal calls that waited for it or received its answer. */
async function correlationsOf(events: Events, requested: LoggedEvent): Promise<ReadonlySet<string>> {
  const { session, seq: cursor } = requested
  const found = new Set(requested.correlation === undefined ? [] : [requested.correlation])
  const approval = approvalOf(requested)
  let searched = 0
  for await (const page of pagesOf(events, { type: 'tool-answered', cursor, ...(session !== undefined && { session }) })) {
    const answers = page.filter((event) => approvalOf(event) === approval)
    for (const { correlation } of answers) if (correlation !== undefined) found.add(correlation)
    searched += page.length
    // One call receives the answer. Later calls have an approval of their own.
    if (answers.some(({ payload }) => payload['outcome'] !== 'waiting') || searched >= maxSearched) break
  }
  return found
}

async function* pagesOf(events: Events, query: EventQuery): AsyncGenerator<readonly LoggedEvent[]> {
  let { cursor } = query
  for (;;) {
    const page = await events.read({ ...query, ...(cursor !== undefined && { cursor }), limit: 1_000 })
    if (page.events.length === 0) return
    yield page.events
    cursor = page.nextCursor
  }
}

function countOf(correlations: ReadonlyMap<string, readonly LoggedEvent[]>): number {
  return correlations.values().reduce((sum, { length }) => sum + length, 0)
}
