/**
 * The cost of a sandbox for a session, compared with the same session without one: `npm run bench:sandbox [-- rounds]`.
 * The kinds alternate, so that other load on the machine affects all of them. CPU and memory are those of the holder
 * and everything below it, as soon as the program runs.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

await using work = await createTempHome()
const repository = makeRepository(join(work.path, 'repository'))
/** In a repository of 10,000 files: starts, with the programs that the hub runs for them, and `git status` inside. */
const inRepository = new Map(
  Object.keys(kinds).map((kind) => [kind, { startMs: [] as number[], statusMs: [] as number[] }]),
)
const statusLoop = `now() { date +%s%N; }; ${'git status >/dev/null; '.repeat(3)} from=$(now); ${'git status >/dev/null; '.repeat(10)} echo status $(($(now) - from))`
for (let round = 0; round < rounds; round++) {
  for (const [kind, sandbox] of Object.entries(kinds)) {
    const name = `status-${round}-${Object.keys(kinds).indexOf(kind)}`
    const begin = performance.now()
    const program = { command: 'sh', args: ['-c', statusLoop], working_dir: repository, sandbox }
    await callTool(hub, 'create_session', { name, ...program })
    inRepository.get(kind)?.startMs.push(performance.now() - begin)
    const { screen } = await callTool(hub, 'wait_session', { name, for: 'exit' })
    inRepository.get(kind)?.statusMs.push(Number(/status (\d+)/.exec(String(screen))?.[1]) / 1e6 / 10)
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

console.log('In a repository of 10,000 files')
console.table(
  Object.fromEntries(
    [...inRepository].map(([kind, { startMs, statusMs }]) => [
      kind,
      { 'start ms': median(startMs).toFixed(), 'git status ms': median(statusMs).toFixed(1) },
    ]),
  ),
)

function makeRepository(directory: string): string {
  for (let folder = 0; folder < 100; folder++) {
    mkdirSync(join(directory, String(folder)), { recursive: true })
    for (let file = 0; file < 100; file++) writeFileSync(join(directory, `${folder}/${file}`), `${folder} ${file}\n`)
  }
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: directory })
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'one')
  return directory
}

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
