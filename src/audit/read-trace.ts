/**
 * Reads the events of one trace. A call whose approval is answered after its hold ends with "waiting", and the agent makes
 * it again under another correlation. The approval joins these calls: the later one names it, or the grant it made.
 */
import { isDeepStrictEqual } from 'node:util'
import type { LoggedEvent } from '../api/event.ts'
import { hasType } from '../api/event.ts'
import { isRecord } from '../base/is-record.ts'
import type { EventLog, EventQuery } from '../events/events.ts'

type Events = Pick<EventLog, 'read'>

/** Larger traces are cut. */
export const maxEvents = 10_000
/** This many events of a session are searched for the calls of an approval. */
const maxSearched = 100_000
/** A turn has many calls under one correlation. At most this many of its approvals are searched for other calls. */
const maxApprovals = 50

/** `id`: a correlation or the id of an approval. Oldest first; empty if the log has neither. */
export async function readTrace(events: Events, id: string): Promise<readonly LoggedEvent[]> {
  const found = new Map<string, readonly LoggedEvent[]>()
  const approvals = new Set<string>()
  let count = 0
  let searched = 0

  async function addCorrelation(correlation: string): Promise<void> {
    if (found.has(correlation) || count >= maxEvents) return
    const ofCall = await readAll(events, { correlation }, maxEvents - count)
    found.set(correlation, ofCall)
    count += ofCall.length
    for (const approval of settledIn(ofCall)) approvals.add(approval)
    for (const event of ofCall) {
      const approval = approvalOf(event) ?? (await approvalOfGrant(events, event))
      if (approval !== undefined) await addApproval(approval, event)
    }
  }

  /** A later call of the same grant is a call of its own. */
  async function addApproval(approval: string, from?: LoggedEvent): Promise<void> {
    if (approvals.has(approval) || searched >= maxApprovals) return
    searched++
    approvals.add(approval)
    const requested = await findNewest(events, 'approval-requested', from, (event) => approvalOf(event) === approval)
    const correlations = requested ? await correlationsOf(events, requested) : []
    if (from?.correlation !== undefined && !correlations.includes(from.correlation)) return
    for (const correlation of correlations) await addCorrelation(correlation)
  }

  await addCorrelation(id)
  if (count === 0) await addApproval(id)
  return [...found.values()].flat().toSorted((a, b) => a.seq - b.seq)
}

/** The approval that a call asked for. Other events may name one too, such as a revoked grant. */
function approvalOf(event: LoggedEvent): string | undefined {
  const isOfCall = hasType(event, 'tool-answered') || event.type.startsWith('approval-')
  return isOfCall ? textOf(event.payload['approval']) : undefined
}

/** The approval that made the grant by which a call was allowed. */
async function approvalOfGrant(events: Events, event: LoggedEvent): Promise<string | undefined> {
  const grant = grantOf(event)
  if (grant === undefined) return undefined
  const made = await findNewest(events, 'grant-made', event, ({ payload }) => payload['grant'] === grant)
  return textOf(made?.payload['approval'])
}

function grantOf({ type, payload: { decision } }: LoggedEvent): string | undefined {
  return type === 'tool-called' && isRecord(decision) ? textOf(decision['grant']) : undefined
}

/**
 * The correlations of the call that requested the approval, of equal calls that waited for it, and of the call that got
 * its answer.
 */
async function correlationsOf(events: Events, requested: LoggedEvent): Promise<readonly string[]> {
  const approval = approvalOf(requested)
  const answers: LoggedEvent[] = []
  for await (const page of pagesAfter(events, 'tool-answered', requested)) {
    answers.push(...page.filter((event) => approvalOf(event) === approval))
    if (answers.some(hasAnswer)) break
  }
  const allowed = answers.some(hasAnswer) ? undefined : await findAllowed(events, requested)
  const calls = [requested, ...answers, ...(allowed ? [allowed] : [])]
  return [...new Set(calls.flatMap(({ correlation }) => correlation ?? []))]
}

/** Approvals that were requested and answered within one correlation. No other call needs to be searched for. */
function settledIn(ofCall: readonly LoggedEvent[]): readonly string[] {
  const requested = new Set(ofCall.filter((event) => hasType(event, 'approval-requested')).map(approvalOf))
  const answers = ofCall.filter((event) => hasType(event, 'tool-answered') && hasAnswer(event))
  return answers.flatMap((event) => approvalOf(event) ?? []).filter((approval) => requested.has(approval))
}

function hasAnswer({ payload }: LoggedEvent): boolean {
  return payload['outcome'] !== 'waiting'
}

/** The first equal call that the grant of this approval allowed. It does not consume the approval. */
async function findAllowed(events: Events, requested: LoggedEvent): Promise<LoggedEvent | undefined> {
  const { correlation, parent } = requested
  const before = correlation === undefined ? [] : await readAll(events, { correlation }, maxEvents)
  const asked = before.find(({ id }) => id === parent)
  const made = before.find(
    ({ type, payload }) => type === 'grant-made' && payload['approval'] === approvalOf(requested),
  )
  const grant = made?.payload['grant']
  if (!asked || grant === undefined) return undefined
  for await (const page of pagesAfter(events, 'tool-called', requested)) {
    const found = page.find((event) => grantOf(event) === grant && isSameCall(event, asked))
    if (found) return found
  }
  return undefined
}

function isSameCall({ payload: one }: LoggedEvent, { payload: other }: LoggedEvent): boolean {
  return one['tool'] === other['tool'] && isDeepStrictEqual(one['arguments'], other['arguments'])
}

export async function readAll(events: Events, query: EventQuery, most: number): Promise<readonly LoggedEvent[]> {
  const found: LoggedEvent[] = []
  for await (const page of pagesOf(events, query, most)) found.push(...page)
  return found.slice(0, most)
}

/** In the session of the other event, if there is one. */
async function findNewest(
  events: Events,
  type: string,
  other: LoggedEvent | undefined,
  isIt: (event: LoggedEvent) => boolean,
): Promise<LoggedEvent | undefined> {
  for await (const page of pagesOf(events, { type, order: 'newest', ...sessionOf(other) }, maxSearched)) {
    const found = page.find(isIt)
    if (found) return found
  }
  return undefined
}

function pagesAfter(events: Events, type: string, other: LoggedEvent): AsyncGenerator<readonly LoggedEvent[]> {
  return pagesOf(events, { type, cursor: other.seq, ...sessionOf(other) }, maxSearched)
}

function sessionOf(event: LoggedEvent | undefined): Pick<EventQuery, 'session'> {
  return event?.session === undefined ? {} : { session: event.session }
}

async function* pagesOf(events: Events, query: EventQuery, most: number): AsyncGenerator<readonly LoggedEvent[]> {
  let from = query
  for (let count = 0; count < most;) {
    const page = await events.read({ ...from, limit: 1_000 })
    if (page.events.length === 0) return
    yield page.events
    count += page.events.length
    from = { ...query, cursor: page.nextCursor }
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
