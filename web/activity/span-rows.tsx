/** The spans of a turn on one axis: a model outlined, a tool solid, a hold hatched, a call of another session as a bracket. */
import type { KeyboardEvent } from 'react'
import { dollars } from '../parts/amounts.ts'
import { Icon, type IconName } from '../parts/icons.tsx'
import { DecisionMark, StateMark } from '../parts/marks.tsx'
import { tookText } from '../parts/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import type { Axis } from './time-axis.ts'
import type { Segment, SpanRow } from './waterfall.ts'

export interface SpanRowsProps {
  readonly rows: readonly SpanRow[]
  readonly axis: Axis
  /** The id of the chosen row. */
  readonly chosen: string | undefined
  onChoose(id: string): void
}

export function SpanRows({ rows, axis, chosen, onChoose }: SpanRowsProps) {
  const reachable = rows.some(({ id }) => id === chosen) ? chosen : rows[0]?.id

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }
    const step = steps[event.key]
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    const at = rows.findIndex(({ id }) => id === chosen)
    const next = rows[Math.min(Math.max(at + step, 0), rows.length - 1)]
    if (!next) return
    onChoose(next.id)
    const item = event.currentTarget.children[rows.indexOf(next)]
    if (item instanceof HTMLElement) item.focus()
  }

  return (
    <ul className="spans" role="tree" aria-label="Spans" onKeyDown={onKeyDown}>
      {rows.map((row) => (
        <li
          key={row.id}
          className={row.id === chosen ? `sp k-${row.kind} sel` : `sp k-${row.kind}`}
          role="treeitem"
          aria-level={row.depth + 1}
          aria-selected={row.id === chosen}
          tabIndex={row.id === reachable ? 0 : -1}
          onClick={() => onChoose(row.id)}
          onFocus={(event) => event.target === event.currentTarget && onChoose(row.id)}
        >
          <span className="sp-n" style={{ '--d': Math.min(row.depth, 6) } as object}>
            <RowMark row={row} />
            <span className={row.kind === 'turn' ? 'nowrap w6' : 'nowrap mono s12'}>
              <VisibleText text={row.name} />
            </span>
            <span className="t3 s12 cut">
              <VisibleText text={row.note} />
            </span>
          </span>
          <span className="sp-b" aria-hidden="true">
            {row.segments.map((segment) => (
              <Bar key={`${segment.is} ${segment.from}`} segment={segment} axis={axis} />
            ))}
          </span>
          <span className={row.state === 'held' ? 'sp-d num s12 wait w6' : 'sp-d num s12 t2'}>
            {tookText(row.ms ?? row.to - row.from)}
          </span>
          <span className="sp-c num s12 t3 desk-only">
            {row.usage?.cost_usd === undefined ? '' : dollars(row.usage.cost_usd)}
          </span>
        </li>
      ))}
    </ul>
  )
}

const icons: Readonly<Record<SpanRow['kind'], IconName>> = {
  turn: 'sessions',
  model: 'model',
  tool: 'shell',
  ask: 'session',
}

function RowMark({ row }: { readonly row: SpanRow }) {
  switch (row.state) {
    case 'held':
      return <StateMark state="waiting" size={12} label="Held" />
    case 'denied':
      return <DecisionMark name="deny" size={12} label="Denied" />
    case 'failed':
      return <DecisionMark name="abort" size={12} label="Failed" />
    case 'running':
    case 'done':
      return <Icon name={icons[row.kind]} size={14} />
  }
}

const shortestPx = 3
const classes: Readonly<Record<Segment['is'], string>> = {
  turn: 'b turn',
  model: 'b model',
  tool: 'b tool',
  fork: 'b fork',
  hold: 'b hold hatch',
  deny: 'b deny',
}

function Bar({ segment: { is, from, to }, axis }: { readonly segment: Segment; readonly axis: Axis }) {
  const [left, right] = [axis.at(from), axis.at(to)]
  // A bar at the very end stays on the axis.
  const start = `min(${left * 100}%, 100% - ${shortestPx}px)`
  return <i className={classes[is]} style={{ left: start, width: `max(${(right - left) * 100}%, ${shortestPx}px)` }} />
}
