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
    const label = `${prefix}${name.replaceAll('_', ' ')}`
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) return linesOf({ ...each }, `${label} `)
    return [[label, written(name, each)]]
  })
}

function written(name: string, value: unknown): string {
  if (name.endsWith('_seconds') && typeof value === 'number') return duration(value)
  if (Array.isArray(value)) return value.map((each) => written('', each)).join(', ') || '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function duration(seconds: number): string {
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor((seconds % 86_400) / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [Math.floor(seconds % 60), 's'],
  ]
  const told = units.filter(([count]) => count > 0).slice(0, 2)
  return told.length > 0 ? told.map(([count, unit]) => `${count}${unit}`).join(' ') : '0s'
}
