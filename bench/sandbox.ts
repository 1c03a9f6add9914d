/**
 * The cost of a sandbox for a session, compared with the same session without one: `npm run bench:sandbox [-- rounds]`.
 * The kinds alternate, so that other load on the machine affects all of them. CPU and memory are those of the holder
 * and everything below it, as soon as the program runs.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Session } from '../src/api/session.ts'
import { until } from '../test/fixtures/until.ts'
import { callTool } from '../test/harness/modern-call.ts'
import { createTempHome } from '../test/harness/temp-home.ts'
import { startHubProcess } from '../test/worlds/hub-process.ts'
import { machine, median } from './figures.ts'

const rounds = Number(process.argv[2] ?? 10)
const kinds = {
  unconfined: 'off',
  'network of the machine': { network: 'all' },
  'no network': { network: 'none' },
  'a list of hosts': { network: { allow: ['example.com'] } },
} as const

/** The clock ticks in which the kernel counts CPU. */
const tickMs = 10

await using home = await createTempHome()
await using hub = await startHubProcess({ home: home.path })
const figures = new Map(Object.keys(kinds).map((kind) => [kind, { cpuMs: [] as number[], megabytes: [] as number[] }]))

for (let round = 0; round < rounds; round++) {
  for (const [kind, sandbox] of Object.entries(kinds)) {
    const name = `bench-${round}-${Object.keys(kinds).indexOf(kind)}`
    const args = { name, command: 'exec sleep 86400', sandbox }
    const { pid } = (await callTool(hub, 'create_session', args)) as unknown as Session
    const holder = parentOf(pid!)
    await until(() => [pid!, ...descendants(pid!)].some((each) => wordsOf(each) === 'sleep 86400'))
    const family = [holder, ...descendants(holder)]
    figures.get(kind)?.cpuMs.push(sum(family.map(cpuMsOf)))
    figures.get(kind)?.megabytes.push(sum(family.map(megabytesOf)))
    await callTool(hub, 'kill_session', { name, remove: true })
  }
}

const bare = figures.get('unconfined')!
console.log(`${machine()}, medians of ${rounds}`)
console.table(
  Object.fromEntries(
    [...figures].map(([kind, { cpuMs, megabytes }]) => [
      kind,
      {
        'CPU ms': median(cpuMs),
        'more CPU ms': median(cpuMs) - median(bare.cpuMs),
        MB: median(megabytes).toFixed(1),
        'more MB': (median(megabytes) - median(bare.megabytes)).toFixed(1),
      },
    ]),
  ),
)

function stat(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Empty if it has just ended. */
function wordsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd()
  } catch {
    return ''
  }
}

function parentOf(pid: number): number {
  return Number(stat(pid)[1])
}

function descendants(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendants(child)])
}

/** Its own, and that of its children that have ended. */
function cpuMsOf(pid: number): number {
  return sum(stat(pid).slice(11, 15).map(Number)) * tickMs
}

/** Its share of the memory that it has in common with others. */
function megabytesOf(pid: number): number {
  const rollup = readFileSync(join('/proc', String(pid), 'smaps_rollup'), 'utf8')
  return Number(/^Pss: +(\d+) kB/m.exec(rollup)?.[1]) / 1024
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
