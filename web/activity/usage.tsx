/** The usage of agents by day and by session: as charts, and as the table that the charts are drawn from. */
import { useRef } from 'react'
import type { UsageRow } from '../../src/api/usage.ts'
import { dollars, tokenCount } from '../parts/amounts.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { dayName, dayStart } from './activity-data.ts'
import { useWidth } from './use-width.ts'

export const usagePeriods = [7, 30, 90] as const
export type UsagePeriod = (typeof usagePeriods)[number]

export interface UsageProps {
  /** `undefined`: it is being read. */
  readonly rows: readonly UsageRow[] | undefined
  readonly refused: string | undefined
  readonly days: UsagePeriod
  onDays(days: UsagePeriod): void
}

interface Amount {
  readonly cost: number
  readonly input: number
  readonly output: number
  readonly turns: number
}

const nothing: Amount = { cost: 0, input: 0, output: 0, turns: 0 }

export function Usage({ rows, refused, days, onDays }: UsageProps) {
  const hasCost = (rows ?? []).some(({ cost_usd: cost }) => cost !== undefined)
  const sizeOf = ({ cost, input, output }: Amount) => (hasCost ? cost : input + output)
  const text = hasCost ? dollars : tokenCount
  const total = sum(rows ?? [])
  return (
    <div className="scroll us" tabIndex={0} role="region" aria-label="Usage">
      <div className="row us-h">
        <span className="seg" role="group" aria-label="Time">
          {usagePeriods.map((each) => (
            <button key={each} aria-pressed={each === days} onClick={() => onDays(each)}>
              {each} days
            </button>
          ))}
        </span>
        <span className="grow" />
        <dl className="row us-total">
          {hasCost && <Total name="Cost" value={dollars(total.cost)} />}
          <Total name="Tokens in" value={tokenCount(total.input)} />
          <Total name="Tokens out" value={tokenCount(total.output)} />
          <Total name="Turns" value={total.turns.toLocaleString('en')} />
        </dl>
      </div>
      {refused !== undefined && <p className="t3">{refused}</p>}
      {rows?.length === 0 && (
        <p className="t3">No turn has ended in this time. Usage counts when the turn of an agent ends.</p>
      )}
      {rows && rows.length > 0 && (
        <>
          <div className="us-charts">
            <section aria-labelledby="us-days">
              <h2 id="us-days" className="lab">
                {hasCost ? 'Cost by day' : 'Tokens by day'}
              </h2>
              <DayChart rows={rows} days={days} sizeOf={sizeOf} text={text} />
            </section>
            <section aria-labelledby="us-sessions">
              <h2 id="us-sessions" className="lab">
                {hasCost ? 'Cost by session' : 'Tokens by session'}
              </h2>
              <SessionChart rows={rows} sizeOf={sizeOf} text={text} />
            </section>
          </div>
          <UsageTable rows={rows} />
        </>
      )}
    </div>
  )
}

function Total({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt className="s12 t3">{name}</dt>
      <dd className="w6 num">{value}</dd>
    </div>
  )
}

interface ChartProps {
  readonly rows: readonly UsageRow[]
  sizeOf(amount: Amount): number
  text(size: number): string
}

const chart = { height: 160, foot: 18, head: 16 }
const firstWidth = 640
/** The width of a day's label. */
const labelPx = 52

function DayChart({ rows, days, sizeOf, text }: ChartProps & { readonly days: number }) {
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place, firstWidth)
  const bars = Array.from({ length: days }, (_, index) => {
    const start = dayStart(days - 1 - index)
    return { start, isToday: index === days - 1, size: sizeOf(sum(rows.filter(({ day }) => day === dayName(start)))) }
  })
  const most = Math.max(...bars.map(({ size }) => size), Number.MIN_VALUE)
  const step = width / days
  const gap = Math.min(6, step / 4)
  const room = chart.height - chart.foot - chart.head
  const every = Math.ceil(labelPx / step)
  const told = bars.filter(({ size }) => size > 0)
  const words = told.map(({ start, size }) => `${dayWords(start)} ${text(size)}`).join(', ')
  return (
    <div ref={place}>
      <svg
        className="us-days"
        viewBox={`0 0 ${width} ${chart.height}`}
        role="img"
        aria-label={`By day: ${words}. The table below has the numbers.`}
      >
        <path d={`M0 ${chart.head + 0.5}H${width}`} stroke="var(--line)" />
        <path d={`M0 ${chart.height - chart.foot + 0.5}H${width}`} stroke="var(--line2)" />
        <text x="0" y={chart.head - 5} className="us-label">
          {text(most)}
        </text>
        {bars.map(({ start, isToday, size }, index) => {
          const height = size === 0 ? 0 : Math.max(2, (size / most) * room)
          const isTold = (days - 1 - index) % every === 0
          return (
            <g key={dayName(start)}>
              <rect
                x={index * step + gap / 2}
                y={chart.height - chart.foot - height}
                width={step - gap}
                height={height}
                fill={isToday ? 'var(--text2)' : 'var(--edge)'}
              >
                <title>{`${dayWords(start)}: ${text(size)}`}</title>
              </rect>
              {isTold && (
                <text x={(index + 0.5) * step} y={chart.height - 4} textAnchor="middle" className="us-label">
                  {isToday ? 'Today' : dayWords(start, days)}
                </text>
              )}
            </g>
          )
        })}
      </svg>
    </div>
  )
}

function dayWords(day: Date, days = 30): string {
  return day.toLocaleDateString('en', days <= 7 ? { weekday: 'short' } : { day: 'numeric', month: 'short' })
}

const mostSessions = 12

function SessionChart({ rows, sizeOf, text }: ChartProps) {
  const groups = Map.groupBy(rows, ({ session_id: id }) => id)
  const bars = [...groups.values()]
    .map((own) => ({ id: own[0]!.session_id, name: own[0]!.session ?? '', size: sizeOf(sum(own)) }))
    .toSorted((one, other) => other.size - one.size)
  const most = Math.max(...bars.map(({ size }) => size), Number.MIN_VALUE)
  const left = bars.length - mostSessions
  return (
    <>
      <ul className="us-sessions">
        {bars.slice(0, mostSessions).map(({ id, name, size }) => (
          <li key={id}>
            <span className="cut">
              <VisibleText text={name} />
            </span>
            <span className="us-bar" aria-hidden="true">
              <i style={{ width: `max(${(size / most) * 100}%, 2px)` }} />
            </span>
            <span className="num s12 t2">{text(size)}</span>
          </li>
        ))}
      </ul>
      {left > 0 && <p className="s12 t3">and {left} more in the table</p>}
    </>
  )
}

function UsageTable({ rows }: { readonly rows: readonly UsageRow[] }) {
  return (
    <table className="table us-t">
      <caption className="sr">Usage by day and session</caption>
      <thead>
        <tr>
          <th>Day</th>
          <th>Session</th>
          <th className="r">Turns</th>
          <th className="r">Tokens in</th>
          <th className="r">Tokens out</th>
          <th className="r">Cost</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.day} ${row.session_id}`}>
            <td className="nowrap num">{row.day}</td>
            <td className="cut-cell">
              <VisibleText text={row.session ?? ''} />
            </td>
            <td className="r">{row.turns}</td>
            <td className="r">{row.input_tokens.toLocaleString('en')}</td>
            <td className="r">{row.output_tokens.toLocaleString('en')}</td>
            <td className="r">{row.cost_usd === undefined ? 'unknown' : dollars(row.cost_usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function sum(rows: readonly UsageRow[]): Amount {
  return rows.reduce(
    ({ cost, input, output, turns }, row) => ({
      cost: cost + (row.cost_usd ?? 0),
      input: input + row.input_tokens,
      output: output + row.output_tokens,
      turns: turns + row.turns,
    }),
    nothing,
  )
}
