/** The cost of the last seven days at the foot of the list; the tokens, where their cost is unknown. */
import type { UsageRow } from '../../src/api/usage.ts'
import { dollars, tokenCount } from '../parts/amounts.ts'
import { dayName, dayStart, useUsage } from './activity-data.ts'

const days = 7
const tallestPx = 44
const shortestPx = 2

export function CostToday() {
  const rows = useUsage(days).value ?? []
  const hasCost = rows.some(({ cost_usd: cost }) => cost !== undefined)
  const text = hasCost ? dollars : tokenCount
  const bars = Array.from({ length: days }, (_, index) => {
    const start = dayStart(days - 1 - index)
    const isToday = index === days - 1
    return {
      day: dayName(start),
      isToday,
      label: isToday ? 'Today' : start.toLocaleDateString('en', { weekday: 'short' }),
      amount: sumOf(rows, dayName(start), hasCost),
    }
  })
  const most = Math.max(...bars.map(({ amount }) => amount))
  const height = (amount: number) => (most === 0 ? shortestPx : Math.max(shortestPx, (amount / most) * tallestPx))
  return (
    <div className="cost">
      <div className="row">
        <span className="lab">{hasCost ? 'Cost today' : 'Tokens today'}</span>
        <span className="grow" />
        <span className="w6 num">{text(bars.at(-1)!.amount)}</span>
      </div>
      <div
        className="cbars"
        role="img"
        aria-label={`${hasCost ? 'Cost' : 'Tokens'} of seven days: ${bars.map(({ label, amount }) => `${label} ${text(amount)}`).join(', ')}`}
      >
        {bars.map(({ day, isToday, label, amount }) => (
          <span key={day} title={`${label} ${text(amount)}`}>
            <i className={isToday ? 'now' : ''} style={{ height: height(amount) }} />
            <em>{label}</em>
          </span>
        ))}
      </div>
    </div>
  )
}

function sumOf(rows: readonly UsageRow[], day: string, hasCost: boolean): number {
  const ofDay = rows.filter((row) => row.day === day)
  return ofDay.reduce((sum, row) => sum + (hasCost ? (row.cost_usd ?? 0) : row.input_tokens + row.output_tokens), 0)
}
