/** One turn: its sessions as tracks, its spans as a waterfall, and the chosen span. */
import { useMemo, useRef, useState } from 'react'
import { PageLink } from '../app/link.tsx'
import { useIsLost } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { spentText } from '../parts/amounts.ts'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark, StateMark } from '../parts/marks.tsx'
import { tookText } from '../parts/time.ts'
import { useNow } from '../parts/use-now.ts'
import { type Trace, useTrace } from './activity-data.ts'
import { SpanDetail } from './span-detail.tsx'
import { SpanRows } from './span-rows.tsx'
import { type Axis, createAxis } from './time-axis.ts'
import { TrackDiagram, TrackNames } from './track-diagram.tsx'
import { turnState, turnWords } from './turn-list.tsx'
import { useWidth } from './use-width.ts'
import { type SpanRow, type Waterfall, toWaterfall } from './waterfall.ts'

export function TurnDetail({ correlation }: { readonly correlation: string }) {
  const { value: trace, refused } = useTrace(correlation)
  return (
    <article className="pane detail wf" aria-label="Turn">
      {trace ? (
        <TurnView trace={trace} correlation={correlation} />
      ) : (
        <>
          <header className="d-head wf-h">
            <BackLink />
            <h2 className="cut">Turn</h2>
          </header>
          {refused !== undefined && <p className="t3 px-4 py-3">{refused}</p>}
        </>
      )}
    </article>
  )
}

function BackLink() {
  return (
    <PageLink className="icon-btn phone-only" to={{ is: 'activity', id: undefined }} aria-label="Back">
      <Icon name="back" size={20} />
    </PageLink>
  )
}

/** The width of the axis on a screen of 1440 pixels. */
const firstWidth = 464

function TurnView({ trace, correlation }: { readonly trace: Trace; readonly correlation: string }) {
  const [turn] = trace.turns
  const isRunning = turn === undefined || turn.status === 'running'
  const ticking = useNow(1_000)
  // A turn that has ended is drawn once.
  const now = isRunning ? ticking : 0
  const waterfall = useMemo(() => toWaterfall(trace.spans, trace.turns, now), [trace, now])
  const { value: sessions = [] } = useSessions()
  const isLost = useIsLost()
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place, firstWidth)
  const axis = useMemo(() => createAxis(waterfall.totalMs, waterfall.waits, width), [waterfall, width])
  const [picked, setPicked] = useState<string>()
  const chosen = waterfall.rows.find(({ id }) => id === picked) ?? mostTelling(waterfall.rows)
  const state = turn ? turnState(turn, isLost) : 'unknown'
  const name = turn?.number === undefined ? 'Turn' : `Turn ${turn.number}`
  const workMs = waterfall.totalMs - waterfall.heldMs
  const facts = [
    `${tookText(workMs)} at work`,
    ...(waterfall.heldMs > 0 ? [`${tookText(waterfall.heldMs)} held`] : []),
    ...(turn?.usage ? [spentText(turn.usage)] : []),
  ]
  return (
    <>
      <header className="d-head wf-h">
        <BackLink />
        <StateMark state={state} size={16} {...(turn && { label: turnWords(turn, state) })} />
        <h2 className="cut">{turn ? `${name} of ${turn.session}` : 'Trace'}</h2>
        <span className="s12 t2 num desk-only nowrap">
          {facts.map((fact, index) => (
            <span key={index}>
              {index > 0 && <span className="sep" />}
              {fact}
            </span>
          ))}
        </span>
        <span className="grow" />
        <span className="s12 t3 mono desk-only cut" title={correlation}>
          {correlation.slice(0, 12)}
        </span>
      </header>
      <div className="wf-scroll scroll" tabIndex={0} role="region" aria-label="Waterfall">
        <div className="wf-top">
          <TrackNames tracks={waterfall.tracks} sessions={sessions} />
          <div className="wf-right" ref={place}>
            <TrackDiagram waterfall={waterfall} axis={axis} width={width} />
            <AxisLabels axis={axis} />
          </div>
          <Legend />
        </div>
        <SpanRows rows={waterfall.rows} axis={axis} chosen={chosen?.id} onChoose={setPicked} />
        {trace.truncated && <p className="t3 s12 px-4 py-2">The trace has more events than these.</p>}
      </div>
      {chosen && <SpanDetail key={chosen.id} row={chosen} sessions={sessions} />}
    </>
  )
}

/** A row that waits, else one that asked another session, else one that was denied or failed, else the first. */
function mostTelling(rows: Waterfall['rows']): SpanRow | undefined {
  return (
    rows.find(({ state }) => state === 'held') ??
    rows.find(({ kind }) => kind === 'ask') ??
    rows.find(({ state }) => state === 'denied' || state === 'failed') ??
    rows[0]
  )
}

function AxisLabels({ axis }: { readonly axis: Axis }) {
  return (
    <div className="axis num s11 t3" aria-hidden="true">
      {axis.ticks.map(({ at, label }) => (
        <span key={at} style={{ left: `${at * 100}%` }}>
          {label}
        </span>
      ))}
      {axis.folds.map(({ from, to, label }) => (
        <span key={from} className="fold" style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}>
          {label}
        </span>
      ))}
    </div>
  )
}

function Legend() {
  return (
    <div className="legend s12 t2 desk-only" aria-hidden="true">
      <span>
        <i className="sw model" />
        Model
      </span>
      <span>
        <i className="sw tool" />
        Tool
      </span>
      <span>
        <i className="sw hatch" />
        Held
      </span>
      <span>
        <DecisionMark name="deny" size={10} />
        Denied
      </span>
    </div>
  )
}
