/** `signalbox status`: what the hub says about itself, for people. */
import { askHub } from './ask-hub.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'
import { renderTable } from './table.ts'

export const command = defineCommand({
  about: 'Asks the hub how it is: version, how long it runs, what it holds.',
  flags: { ...hubFlags, ...jsonFlag },
  examples: ['signalbox status', 'signalbox status --json'],
  async run(args, context) {
    const status = await askHub('hub_status', {}, args, context)
    context.out(args.has('json') ? JSON.stringify(status, null, 2) : renderStatus(status))
    return 'ok'
  },
})

/** One line for each thing the hub tells: a newer hub may tell more than this CLI knows of. */
export function renderStatus(status: Readonly<Record<string, unknown>>): string {
  return renderTable(linesOf(status))
}

function linesOf(value: Readonly<Record<string, unknown>>, prefix = ''): string[][] {
  return Object.entries(value).flatMap(([name, each]) => {
    const label = `${prefix}${name.replace(/_(seconds|bytes|at)$/, '').replaceAll('_', ' ')}`
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) return linesOf({ ...each }, `${label} `)
    return [[label, written(name, each)]]
  })
}

function written(name: string, value: unknown): string {
  if (typeof value === 'number' && name.endsWith('_seconds')) return duration(value)
  if (typeof value === 'number' && name.endsWith('_bytes')) return `${Math.round(value / 1024 / 1024)} MiB`
  if (Array.isArray(value)) return value.map((each) => written(name, each)).join(', ') || '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const units = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3600 },
  { unit: 'm', seconds: 60 },
  { unit: 's', seconds: 1 },
]

/** The two largest units that say something: `3h 12m`. */
function duration(total: number): string {
  let rest = Math.floor(total)
  const parts = units.flatMap(({ unit, seconds }) => {
    const count = Math.floor(rest / seconds)
    rest %= seconds
    return count > 0 ? [`${count}${unit}`] : []
  })
  return parts.slice(0, 2).join(' ') || '0s'
}
