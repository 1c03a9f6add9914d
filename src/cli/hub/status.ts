/** `signalbox status`: the state of the hub. */
import { renderTable } from '../terminal-output/table.ts'
import { toolCommand } from '../hub-client/tool-command.ts'

export const command = toolCommand({
  about: 'Shows the state of the hub: version, uptime, store, sessions, connections, events and memory.',
  examples: ['signalbox status', 'signalbox status --json'],
  tool: 'hub_status',
  input: () => ({}),
  answer: { parse: (status) => status as Readonly<Record<string, unknown>> },
  print: renderStatus,
})

/** Prints every field, because a newer hub may have fields that this CLI does not know. */
export function renderStatus(status: Readonly<Record<string, unknown>>): string {
  return renderTable(linesOf(status))
}

function linesOf(value: Readonly<Record<string, unknown>>, prefix = ''): string[][] {
  return Object.entries(value).flatMap(([name, each]) => {
    const label = `${prefix}${name.replace(/_(seconds|bytes|at)$/, '').replaceAll('_', ' ')}`
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) return linesOf({ ...each }, `${label} `)
    return [[label, format(name, each)]]
  })
}

function format(name: string, value: unknown): string {
  if (typeof value === 'number' && name.endsWith('_seconds')) return duration(value)
  if (typeof value === 'number' && name.endsWith('_bytes')) return `${Math.round(value / 1024 / 1024)} MiB`
  if (Array.isArray(value)) return value.map((each) => format(name, each)).join(', ') || '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const units = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3600 },
  { unit: 'm', seconds: 60 },
  { unit: 's', seconds: 1 },
]

/** The two largest units that are not zero: `3h 12m`. */
function duration(total: number): string {
  let rest = Math.floor(total)
  const parts = units.flatMap(({ unit, seconds }) => {
    const count = Math.floor(rest / seconds)
    rest %= seconds
    return count > 0 ? [`${count}${unit}`] : []
  })
  return parts.slice(0, 2).join(' ') || '0s'
}
