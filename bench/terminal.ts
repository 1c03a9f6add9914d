/**
 * The cost and speed of terminals, as a client of the hub sees them, compared with tmux in control mode in the same
 * run.
 *
 *   npm run bench:terminal -- [--rounds 3] [--crowd 100] [--write-docs]
 */
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { machine, median } from './figures.ts'
import { type BenchHub, idleHubMb, startBenchHub } from './terminal/bench-hub.ts'
import { measureCrowd, startCrowd } from './terminal/crowd.ts'
import { echoCommand, measureEcho, measureTmuxEcho } from './terminal/echo.ts'
import { latency, mean, type Row, shown, toTable } from './terminal/figures.ts'
import { linesCommand, measureReading, measureTmuxReading, readings } from './terminal/reading.ts'
import { measureFlow, measureTmuxFlow, writeSample } from './terminal/throughput.ts'
import { openPane, tmuxVersion } from './terminal/tmux.ts'
import { writeIntoDocs } from './write-benchmarks.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    crowd: { type: 'string', default: '100' },
    'write-docs': { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const crowdSize = Number(values.crowd)
const keys = 200
const flowMegabytes = 32
const tmuxFlowMegabytes = 8
const idleCount = 50
const tmux = tmuxVersion()
/** A hub frees the memory that its start took only after a while. */
const untilSettledMs = 7_000
const untilReady = { for: 'text', value: 'ready' }

const rows = [...(await oneTerminal()), ...(await manyIdle()), ...(await aCrowd()), await afterKill()]
const report = [
  toTable(rows),
  '',
  `${machine()}, ${tmux ?? 'tmux is not installed'}; load ${loadavg()[0]!.toFixed(1)} at the end.`,
  `Latencies are p50 / p95, CPU is the hub’s, ${rounds} interleaved rounds; the clients run on the same machine.`,
].join('\n')
console.log(report)
if (values['write-docs']) await writeIntoDocs('bench:terminal', report)

function log(step: string): void {
  process.stderr.write(`${step}\n`)
}

async function oneTerminal(): Promise<readonly Row[]> {
  const idleMb = await idleHubMb(untilSettledMs)
  await using hub = await startBenchHub()
  await hub.client.call('create_session', { name: 'echo', command: echoCommand, wait: untilReady })
  await hub.client.call('create_session', { name: 'lines', command: linesCommand, wait: untilReady })
  await using panes = await openPanes()
  const [sample, tmuxSample] = [writeSample(hub.home, flowMegabytes), writeSample(hub.home, tmuxFlowMegabytes)]

  const echo = createSeries()
  const flows: { own: Awaited<ReturnType<typeof measureFlow>>[]; tmux: number[] } = { own: [], tmux: [] }
  const reads = new Map(readings.map((reading) => [reading, createSeries()]))
  await measureEcho(hub, 'echo', keys) // warm-up
  for (let round = 1; round <= rounds; round++) {
    log(`round ${round} of ${rounds}`)
    await echo.add(hub, () => measureEcho(hub, 'echo', keys))
    if (panes.echo) echo.tmux.push(...(await measureTmuxEcho(panes.echo, keys)))
    flows.own.push(await measureFlow(hub, sample, flowMegabytes))
    if (tmux !== undefined) flows.tmux.push(await measureTmuxFlow(tmuxSample, tmuxFlowMegabytes))
    for (const [reading, series] of reads) {
      await series.add(hub, () => measureReading(hub, 'lines', reading, 30))
      if (panes.lines) series.tmux.push(...((await measureTmuxReading(panes.lines, reading, 30)) ?? []))
    }
  }
  return [
    { what: 'key → seen by a viewer', ...echo.cells(), budget: '≤ 5 / ≤ 15 ms' },
    {
      what: 'output of one program at a viewer',
      signalbox: `${shown(median(flows.own.map((flow) => flow.megabytesPerSecond)))} MB/s, ${shown(median(flows.own.map((flow) => flow.cpuMsPerMegabyte)))} ms CPU/MB`,
      ...(flows.tmux.length > 0 && { tmux: `${shown(median(flows.tmux))} MB/s` }),
      budget: '≥ 15 MB/s',
    },
    ...[...reads].map(([reading, series]) => ({ what: `${reading}, of 10,000 lines`, ...series.cells() })),
    { what: 'a hub without sessions, resident', signalbox: `${shown(idleMb)} MB`, budget: '≤ 130 MB' },
  ]
}

/** Latencies of all rounds, and the CPU time of each call in the hub. */
function createSeries() {
  const own: number[] = []
  const inTmux: number[] = []
  const cpuMs: number[] = []
  return {
    tmux: inTmux,
    async add(hub: BenchHub, measure: () => Promise<readonly number[]>): Promise<void> {
      const before = await hub.cpuMs()
      const times = await measure()
      cpuMs.push(((await hub.cpuMs()) - before) / times.length)
      own.push(...times)
    },
    cells: () => ({
      signalbox: `${latency(own)}, ${shown(median(cpuMs))} ms CPU`,
      ...(inTmux.length > 0 && { tmux: latency(inTmux) }),
    }),
  }
}

async function openPanes() {
  const stack = new AsyncDisposableStack()
  const echo = tmux === undefined ? undefined : stack.use(await openPane(echoCommand))
  const lines = tmux === undefined ? undefined : stack.use(await openPane(linesCommand, { historyLines: 10_000 }))
  return { echo, lines, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function manyIdle(): Promise<readonly Row[]> {
  log(`${idleCount} idle sessions`)
  await using hub = await startBenchHub()
  const empty = await startTimes(hub)
  await delay(untilSettledMs)
  const before = await hub.memory()
  for (let index = 0; index < idleCount; index++) {
    await hub.client.call('create_session', {
      name: `idle-${index}`,
      command: 'seq 1 100; printf ready; cat',
      wait: untilReady,
    })
  }
  const after = await hub.memory()
  const holders = hub.holders()
  const full = await startTimes(hub)
  const each = (key: 'heapMb' | 'rssMb') => shown((after[key] - before[key]) / idleCount)
  return [
    { what: 'idle session, in the hub', signalbox: `${each('heapMb')} MB heap, ${each('rssMb')} MB resident` },
    {
      what: 'idle session, its holder',
      signalbox: `${shown(mean(holders.map(({ privateMb }) => privateMb)))} MB private, ${shown(mean(holders.map(({ rssMb }) => rssMb)))} MB resident`,
    },
    { what: 'hub start, nothing to adopt', signalbox: empty },
    { what: `hub start, ${idleCount} sessions to adopt`, signalbox: full, budget: '≤ 1,000 ms' },
  ]
}

async function startTimes(hub: BenchHub): Promise<string> {
  const times: number[] = []
  const cpu: number[] = []
  for (let round = 0; round < rounds; round++) {
    times.push(await hub.restart())
    cpu.push(await hub.cpuMs())
  }
  return `${shown(median(times))} ms, ${shown(median(cpu))} ms CPU`
}

async function aCrowd(): Promise<readonly Row[]> {
  log(`${crowdSize} sessions at 100 KB/s`)
  await using hub = await startBenchHub()
  await using crowd = await startCrowd(hub, crowdSize)
  await measureCrowd(hub, crowd, 100_000, 3_000) // warm-up
  const { hubCpuPercent, holdersCpuPercent, lagsMs, caughtUpMs } = await measureCrowd(hub, crowd, 100_000, 10_000)
  return [
    {
      what: `${crowdSize} sessions at 100 KB/s, CPU`,
      signalbox: `hub ${shown(hubCpuPercent)} %, holders ${shown(holdersCpuPercent)} %`,
      budget: 'keeps up',
    },
    { what: 'printed → seen by a viewer, meanwhile', signalbox: latency(lagsMs) },
    { what: 'all on the screens after the last byte', signalbox: `${shown(caughtUpMs)} ms` },
  ]
}

/** How long after a kill a new hub shows all screens, while the programs keep printing. */
async function afterKill(): Promise<Row> {
  log('kill −9 with 20 sessions printing')
  await using hub = await startBenchHub()
  await using crowd = await startCrowd(hub, 20)
  const stop = new AbortController()
  const feeding = crowd.feed(100_000, stop.signal)
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await delay(2_000)
    const killedAt = performance.now()
    await hub.restart()
    await Promise.all(crowd.names.map((session) => hub.client.call('read_screen', { session })))
    times.push(performance.now() - killedAt)
  }
  stop.abort()
  await feeding
  return {
    what: 'kill −9 with 20 sessions printing → all screens read',
    signalbox: `${shown(median(times))} ms`,
    budget: '≤ 2,000 ms',
  }
}
