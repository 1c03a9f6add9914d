/** The trace of a turn as rows on one time axis, and as tracks of its sessions. */
import type { Decision } from '../../src/api/policy.ts'
import type { Usage } from '../../src/api/thread.ts'
import type { Span } from '../../src/api/trace.ts'
import type { TurnSummary } from '../../src/api/turn.ts'
import { asArguments } from '../approvals/question.ts'
import { tokenCount } from '../parts/amounts.ts'
import { readRule } from '../parts/rule-words.ts'
import { summaryOf } from '../session/thread-items.ts'
import { type Interval, union, without } from './time-axis.ts'

export type SpanKind = 'turn' | 'model' | 'tool' | 'ask'
export type SpanState = 'running' | 'done' | 'held' | 'denied' | 'failed'

export interface Segment extends Interval {
  readonly is: 'turn' | 'model' | 'tool' | 'fork' | 'hold' | 'deny'
}

export interface SpanRow extends Interval {
  readonly id: string
  readonly depth: number
  readonly kind: SpanKind
  readonly name: string
  readonly note: string
  readonly state: SpanState
  /** `undefined`: it has not ended, or its end is lost. */
  readonly ms: number | undefined
  readonly segments: readonly Segment[]
  readonly usage?: Usage | undefined
  readonly decision?: Partial<Decision> | undefined
  /** How many sessions were asked on the way to this one. */
  readonly hop: number
  readonly span: Span
}

/** A session in the track diagram. */
export interface Track {
  readonly session: string
  readonly name: string
  /** When its agent worked, without the time in which it waited for another session. */
  readonly worked: readonly Interval[]
  readonly held: readonly Interval[]
  readonly denied: readonly number[]
}

/** A session asks another one and gets its answer. */
export interface Crossover extends Interval {
  readonly fromTrack: number
  readonly toTrack: number
}

export interface Waterfall {
  readonly rows: readonly SpanRow[]
  readonly tracks: readonly Track[]
  readonly crossovers: readonly Crossover[]
  readonly totalMs: number
  /** Intervals in which the turn only waited for a person. */
  readonly waits: readonly Interval[]
  readonly heldMs: number
}

/** `waiting`: the agent was told to come back for the answer of a person. */
const endsWell: ReadonlySet<unknown> = new Set(['ok', 'waiting', 'input-required'])

/** A gap between two calls of an agent that is shorter is not worth a row. */
const shortestGapMs = 20

interface Reading {
  /** Milliseconds after the first event of the trace. */
  readonly nowMs: number
  /** When each approval was answered, by its id. */
  readonly answered: ReadonlyMap<string, number>
  readonly turns: ReadonlyMap<string, TurnSummary>
}

/** `now`: the end of spans that still run. `turns`: of the trace, by the id of their session and their start. */
export function toWaterfall(spans: readonly Span[], turns: readonly TurnSummary[], now: number): Waterfall {
  const all = flat(spans)
  const first = all[0]
  const reading: Reading = {
    nowMs: first ? now - Date.parse(first.at) + first.after_ms : 0,
    answered: answersIn(all),
    turns: new Map(turns.map((turn) => [turnKey(turn.session_id, turn.started_at), turn])),
  }
  const shifted = startOf(spans)
  const rows = spans.flatMap((span) => rowsOf(span, { depth: 0, hop: 0 }, reading)).map((row) => shift(row, -shifted))
  const totalMs = Math.max(...rows.flatMap(({ segments, to }) => [to, ...segments.map((each) => each.to)]), 1)
  const held = union(rows.flatMap(({ segments }) => segments.filter(({ is }) => is === 'hold')))
  const busy = rows.flatMap(({ segments }) => segments.filter(({ is }) => is === 'model' || is === 'tool'))
  return {
    rows,
    ...tracksOf(rows),
    totalMs,
    waits: without(held, busy),
    heldMs: held.reduce((sum, { from, to }) => sum + to - from, 0),
  }
}

export function turnKey(session: string, startedAt: string): string {
  return `${session} ${startedAt}`
}

function flat(spans: readonly Span[]): readonly Span[] {
  return spans.flatMap((span) => [span, ...flat(span.spans)])
}

/** The call of the person that prompts comes a moment before the turn. */
function startOf(spans: readonly Span[]): number {
  const [first] = spans
  if (!first) return 0
  return isPrompting(first) ? startOf(first.spans.filter(isTurn)) : first.after_ms
}

function isTurn({ type }: Span): boolean {
  return type === 'turn-started'
}

/** A call of a person that gave an agent a prompt. The turn is what matters. */
function isPrompting({ type, payload, spans }: Span): boolean {
  return type === 'tool-called' && payload['role'] === 'human' && spans.some(isTurn)
}

function answersIn(all: readonly Span[]): ReadonlyMap<string, number> {
  const ends = ['approval-decided', 'approval-expired', 'approval-abandoned']
  const answers = all.filter(({ type }) => ends.includes(type))
  return new Map(answers.map(({ payload, after_ms: at }) => [String(payload['approval']), at]))
}

interface Place {
  readonly depth: number
  readonly hop: number
}

function rowsOf(span: Span, place: Place, reading: Reading): readonly SpanRow[] {
  const below = (children: readonly Span[], depth: number, hop = place.hop) =>
    children.flatMap((child) => rowsOf(child, { depth, hop }, reading))
  switch (span.type) {
    case 'turn-started':
      return turnRows(span, place, reading)
    case 'model-called':
      return [modelRow(span, place, reading)]
    case 'tool-called':
      if (isPrompting(span)) return below(span.spans, place.depth)
      return [toolRow(span, place, reading), ...below(span.spans, place.depth + 1, place.hop + 1)]
    default:
      return below(span.spans, place.depth)
  }
}

function endOf(span: Span, { nowMs }: Reading): number {
  if (span.ms !== undefined) return span.after_ms + span.ms
  if (span.outcome === 'running') return Math.max(nowMs, span.after_ms)
  return Math.max(span.after_ms, ...flat(span.spans).map((each) => each.after_ms + (each.ms ?? 0)))
}

function turnRows(span: Span, { depth, hop }: Place, reading: Reading): readonly SpanRow[] {
  const [from, to] = [span.after_ms, endOf(span, reading)]
  const chain = textsIn(span.payload['chain'])
  const summary = reading.turns.get(turnKey(span.session ?? '', span.at))
  const end = span.spans.find(({ type }) => type === 'turn-ended')
  const asked = chain.length > 1 ? `asked by ${chain.at(-2)}` : undefined
  const prompt = summary?.prompt === undefined ? '' : `You: ${firstLine(summary.prompt)}`
  const children = span.spans.flatMap((child) => rowsOf(child, { depth: depth + 1, hop }, reading))
  const row: SpanRow = {
    id: span.id,
    depth,
    kind: 'turn',
    name: summary?.number === undefined ? 'Turn' : `Turn ${summary.number}`,
    note: asked ?? prompt,
    state: end?.payload['status'] === 'failed' ? 'failed' : span.outcome === 'running' ? 'running' : 'done',
    from,
    to,
    ms: span.ms,
    segments: [{ is: 'turn', from, to }],
    usage: usageIn(end?.payload) ?? (depth === 0 ? summary?.usage : undefined),
    hop,
    span,
  }
  const isTold = span.spans.some(({ type }) => type === 'model-called')
  return [row, ...(isTold ? children : withGaps(row, children, chain.at(-1) ?? 'agent'))]
}

/** The hub does not see the model of most agents. Between two calls it was at work. */
function withGaps(turn: SpanRow, children: readonly SpanRow[], agent: string): readonly SpanRow[] {
  const direct = children.filter(({ depth }) => depth === turn.depth + 1)
  const busy = direct.flatMap(({ from, to, segments }) => [{ from, to }, ...segments])
  const gaps = without([turn], busy).filter(({ from, to }) => to - from >= shortestGapMs)
  const rows = gaps.map(({ from, to }, index): SpanRow => {
    const isOpen = turn.ms === undefined && to === turn.to
    return {
      id: `${turn.id}:${index}`,
      depth: turn.depth + 1,
      kind: 'model',
      name: agent,
      note: 'thinks and writes',
      state: isOpen ? 'running' : 'done',
      from,
      to,
      ms: isOpen ? undefined : to - from,
      segments: [{ is: 'model', from, to }],
      hop: turn.hop,
      span: turn.span,
    }
  })
  // Rows that belong to a call stay below it.
  const groups: SpanRow[][] = []
  for (const child of children) {
    if (child.depth === turn.depth + 1) groups.push([child])
    else groups.at(-1)?.push(child)
  }
  return [...groups, ...rows.map((row) => [row])].toSorted(([one], [other]) => one!.from - other!.from).flat()
}

function modelRow(span: Span, { depth, hop }: Place, reading: Reading): SpanRow {
  const [from, to] = [span.after_ms, endOf(span, reading)]
  const answer = span.spans.find(({ type }) => type === 'model-answered')?.payload
  const usage = usageIn(answer)
  const outcome = answer?.['outcome']
  return {
    id: span.id,
    depth,
    kind: 'model',
    name: span.provider ?? span.route ?? 'model',
    note: usage
      ? `${tokenCount(usage.input_tokens)} in, ${tokenCount(usage.output_tokens)} out`
      : wordIn(span, 'model'),
    state: span.outcome === 'running' ? 'running' : outcome === undefined || outcome === 'ok' ? 'done' : 'failed',
    from,
    to,
    ms: span.ms,
    segments: [{ is: 'model', from, to }],
    usage,
    hop,
    span,
  }
}

function toolRow(span: Span, { depth, hop }: Place, reading: Reading): SpanRow {
  const [from, to] = [span.after_ms, endOf(span, reading)]
  const name = wordIn(span, 'tool')
  const answer = span.spans.findLast(({ type }) => type === 'tool-answered')?.payload
  const outcome = answer?.['outcome']
  const isDenied = outcome === 'denied' || outcome === 'aborted'
  const held = holdsOf(span, to, reading)
  const isHeld = held.some(({ isOpen }) => isOpen)
  const asks = span.spans.some(isTurn)
  const decision = asArguments(answer?.['decision'] ?? span.payload['decision']) as Partial<Decision>
  const what = recordedSummary(asArguments(span.payload['arguments']))
  const state = stateOf()
  const words = { held: 'waiting for you', denied: deniedWords(decision), failed: 'failed', running: '', done: '' }[
    state
  ]
  return {
    id: span.id,
    depth,
    kind: asks ? 'ask' : 'tool',
    name,
    note: [what, words].filter((part) => part !== '').join(': '),
    state,
    from,
    to,
    ms: isHeld ? Math.max(reading.nowMs - from, 0) : span.ms,
    segments: segmentsOf(),
    decision: Object.keys(decision).length > 0 ? decision : undefined,
    hop: asks ? hop + 1 : hop,
    span,
  }

  function stateOf(): SpanState {
    if (isHeld) return 'held'
    if (isDenied) return 'denied'
    if (span.outcome === 'running') return 'running'
    return outcome === undefined || endsWell.has(outcome) ? 'done' : 'failed'
  }

  function segmentsOf(): readonly Segment[] {
    const holds = held.map((each): Segment => ({ is: 'hold', from: each.from, to: each.to }))
    if (isDenied) return [...holds, { is: 'deny', from: Math.max(from, ...holds.map((each) => each.to)), to }]
    if (asks) return [...holds, { is: 'fork', from, to }]
    // The moment before a hold is the decision of the policy.
    const ran = { from: holds[0]?.from ?? from, to }
    return [...holds, ...without([ran], holds).map((each): Segment => ({ is: 'tool', ...each }))]
  }
}

function holdsOf(
  span: Span,
  end: number,
  { answered, nowMs }: Reading,
): readonly (Interval & { readonly isOpen: boolean })[] {
  return flat(span.spans)
    .filter(({ type, parent }) => type === 'approval-requested' && (parent === span.id || parent === undefined))
    .map(({ payload, after_ms: from }) => {
      const at = answered.get(String(payload['approval']))
      const isOpen = at === undefined && (span.outcome === 'running' || span.spans.some(isPostponed))
      return { from, to: at ?? (isOpen ? Math.max(nowMs, end) : end), isOpen }
    })
}

/** The agent was told to come back, and its approval still waits. */
function isPostponed({ type, payload }: Span): boolean {
  return type === 'tool-answered' && payload['outcome'] === 'waiting'
}

/** Leaves out arguments that are not recorded, such as typed text. */
export function recordedSummary(args: Readonly<Record<string, unknown>>): string {
  return summaryOf(Object.fromEntries(Object.entries(args).filter(([, value]) => value !== '[not recorded]')))
}

export function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}

function deniedWords({ rule }: Partial<Decision>): string {
  return rule === undefined ? 'denied' : `denied by ${shortRule(rule)}`
}

/** `hub#4` is rule 4. If a session works for others, the rule says whose it is. */
export function shortRule(rule: string): string {
  const named = readRule(rule)
  if (!named) return rule
  return named.session === undefined ? `rule ${named.number}` : `rule ${named.number} of ${named.session}`
}

function tracksOf(rows: readonly SpanRow[]): Pick<Waterfall, 'tracks' | 'crossovers'> {
  const turns = rows.filter(({ kind }) => kind === 'turn')
  const sessions = [...new Set(turns.map(({ span }) => span.session ?? ''))]
  const trackOf = (row: SpanRow) => sessions.indexOf(row.span.session ?? '')
  const crossovers = turns.flatMap((turn) => {
    const ask = rows.find(({ kind, span }) => kind === 'ask' && span.spans.some(({ id }) => id === turn.id))
    return ask
      ? [{ fromTrack: trackOf(ask), toTrack: trackOf(turn), from: ask.from, to: Math.max(ask.to, turn.to) }]
      : []
  })
  const tracks = sessions.map((session, index): Track => {
    const own = turns.filter(({ span }) => span.session === session)
    const calls = rows.filter((row) => row.kind !== 'turn' && row.span.session === session)
    const held = union(calls.flatMap(({ segments }) => segments.filter(({ is }) => is === 'hold')))
    const away = crossovers.filter(({ fromTrack }) => fromTrack === index)
    const visits = crossovers.filter(({ toTrack }) => toTrack === index)
    return {
      session,
      name: textsIn(own[0]?.span.payload['chain']).at(-1) ?? session,
      worked: without(
        own.map(({ from, to }) => visits.find((visit) => visit.from <= from && visit.to >= to) ?? { from, to }),
        [...away, ...held],
      ),
      held,
      denied: calls.filter(({ state }) => state === 'denied').map(({ from }) => from),
    }
  })
  return { tracks, crossovers }
}

function shift(row: SpanRow, byMs: number): SpanRow {
  const moved = <T extends Interval>(each: T): T => ({ ...each, from: each.from + byMs, to: each.to + byMs })
  return { ...moved(row), segments: row.segments.map(moved) }
}

function usageIn(payload: Readonly<Record<string, unknown>> | undefined): Usage | undefined {
  return payload?.['usage'] as Usage | undefined
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** Empty if the event does not say it. */
export function wordIn({ payload }: Pick<Span, 'payload'>, field: string): string {
  const value = payload[field]
  return typeof value === 'string' ? value : ''
}
