/**
 * The throughput of the event log, with two readers that follow it: `npm run bench:events`.
 *
 *   flat out         as many appends as it commits, with 512 pending at any time
 *   20,000 a second  the rate that the log must sustain, spread evenly
 *   one at a time    how long a single tool call waits for its record
 *
 * The longest block is the largest delay of a timer, so it includes everything that blocks the event loop, also garbage
 * collection. Time in which other programs had the processor is subtracted where the kernel reports it (Linux).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRedactor } from '../src/base/redact.ts'
import type { EventLog } from '../src/events/events.ts'
import { openEventLog } from '../src/events/events.ts'

const secondsEach = Number(process.argv[2] ?? 5)
const readerCount = 2

interface Row {
  readonly load: string
  readonly 'events/s': number
  readonly 'CPU µs/event': number
  readonly 'p50 µs': number
  readonly 'p99 µs': number
  readonly 'longest block ms': number
  readonly 'read by each reader': string
}

const loads: Readonly<Record<string, (append: () => Promise<void>, isOver: () => boolean) => Promise<void>>> = {
  'flat out': async (append, isOver) => {
    await Promise.all(
      Array.from({ length: 512 }, async () => {
        while (!isOver()) await append()
      }),
    )
  },
  '20,000 a second': async (append, isOver) => {
    const start = performance.now()
    const pending: Promise<void>[] = []
    for (let sent = 0; !isOver(); await sleep(1)) {
      for (const due = (performance.now() - start) * 20; sent < due; sent++) pending.push(append())
    }
    await Promise.all(pending)
  },
  'one at a time': async (append, isOver) => {
    while (!isOver()) await append()
  },
}

const rows: Row[] = []
for (const [load, run] of Object.entries(loads)) rows.push(await measure(load, run))
console.log(
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}, ${secondsEach} s each, SQLite`,
)
console.table(Object.fromEntries(rows.map(({ load, ...figures }) => [load, figures])))

async function measure(load: string, run: (typeof loads)[string]): Promise<Row> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
  try {
    await using log = await openEventLog(
      { engine: 'sqlite', path: join(directory, 'events.db') },
      { redactor: redactorWithSecrets(), retention: { maxAgeMs: 86_400_000, maxBytes: 4 * 1024 ** 3 } },
    )
    await warmUp(log)
    const first = log.lastSeq
    const followers = Array.from({ length: readerCount }, () => follow(log, first))
    const latencies: number[] = []
    const blocks = watchLoop()
    const cpu = process.cpuUsage()
    const start = performance.now()
    const append = async (): Promise<void> => {
      const before = performance.now()
      await log.append(sample(latencies.length))
      latencies.push(performance.now() - before)
    }
    await run(append, () => performance.now() - start > secondsEach * 1000)
    const seconds = (performance.now() - start) / 1000
    const used = process.cpuUsage(cpu)
    const longestBlockMs = blocks.stop()
    const counts = await Promise.all(followers.map((follower) => follower.stop(log.lastSeq)))
    latencies.sort((a, b) => a - b)
    const count = latencies.length
    return {
      load,
      'events/s': Math.round(count / seconds),
      'CPU µs/event': round((used.user + used.system) / count),
      'p50 µs': Math.round(latencies[count >> 1]! * 1000),
      'p99 µs': Math.round(latencies[Math.floor(count * 0.99)]! * 1000),
      'longest block ms': round(longestBlockMs),
      'read by each reader': counts.map((read) => `${read} of ${count}`).join(', '),
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Reads from a cursor as events arrive, until it has seen the last one. */
function follow(log: EventLog, from: number): { stop(lastSeq: number): Promise<number> } {
  let cursor = from
  let count = 0
  let end = Number.POSITIVE_INFINITY
  const reading = (async () => {
    while (cursor < end) {
      const page = await log.read({ cursor, limit: 500 })
      count += page.events.length
      cursor = page.nextCursor
      if (cursor < end) await log.waitBeyond(cursor, { timeoutMs: 100 })
    }
  })()
  return {
    async stop(lastSeq) {
      end = lastSeq
      await reading
      return count
    },
  }
}

/** Sets a timer every millisecond, and records its largest delay. */
function watchLoop(): { stop(): number } {
  let longestMs = 0
  let before = { at: performance.now(), queuedMs: queuedForProcessorMs() }
  const timer = setInterval(() => {
    const now = { at: performance.now(), queuedMs: queuedForProcessorMs() }
    longestMs = Math.max(longestMs, now.at - before.at - 1 - (now.queuedMs - before.queuedMs))
    before = now
  }, 1)
  return {
    stop() {
      clearInterval(timer)
      return longestMs
    },
  }
}

/** How long the main thread was ready to run while other threads ran. */
function queuedForProcessorMs(): number {
  if (process.platform !== 'linux') return 0
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
}

async function warmUp(log: EventLog): Promise<void> {
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 500 }, (_, index) => log.append(sample(index))))
    await log.read({ cursor: log.lastSeq - 500, limit: 500 })
  }
}

function sample(index: number): Parameters<EventLog['append']>[0] {
  return {
    type: 'tool-called',
    session: `session-${index % 20}`,
    correlation: `call-${index}`,
    route: 'mcp:stdio',
    payload: {
      tool: 'github_get_issue',
      arguments: { repository: 'signalbox', number: index, comments: true },
      role: 'agent',
    },
  }
}

/** As many secrets as a hub with a few connectors has. */
function redactorWithSecrets(): ReturnType<typeof createRedactor> {
  const redactor = createRedactor()
  for (let index = 0; index < 10; index++) redactor.addSecret(`sk-bench-${crypto.randomUUID()}`)
  return redactor
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
