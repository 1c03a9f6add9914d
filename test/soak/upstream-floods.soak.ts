/** Each way in which an upstream can flood the hub, one after another, and how long others wait meanwhile. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Endpoint } from '../harness/modern-call.ts'
import {
  cpuMsOf,
  type FloodKind,
  floodingProgram,
  isAnswered,
  peakMbOf,
  startFlood,
} from '../worlds/flooded-by-upstream.ts'
import { type GatewayHub, overStdio, startGatewayHub } from '../worlds/gateway-hub.ts'
import { type HttpUpstream, startHttpUpstream } from '../worlds/upstream-process.ts'

const megabyte = 1024 * 1024
const bytes = 60 * megabyte
const floodMs = 5_000
/** For one call of another session. A machine with other work takes longer, so this only finds what stalls. */
const mostMs = 5_000

const small = (...kinds: readonly string[]): readonly FloodKind[] => kinds.map((kind) => ({ kind }))
const large = (...kinds: readonly string[]): readonly FloodKind[] => kinds.map((kind) => ({ kind, bytes }))

const stdioFloods = [
  ...small('notices', 'progress', 'listChanges', 'answers', 'noise', 'empty', 'newlines', 'stderr', 'emptyStderr'),
  ...small('batches'),
  ...large('objects', 'objectNotices', 'text', 'largeBatch', 'numbers'),
]
const streamFloods = [
  ...small('notices', 'noise', 'empty', 'carriageReturns', 'comments', 'fields', 'carriageFields', 'newlines'),
  ...large('objectNotices', 'text'),
]

let hub: GatewayHub
let http: HttpUpstream
let other: Endpoint
const rows: object[] = []

beforeAll(async () => {
  hub = await startGatewayHub({ SIGNALBOX_DRAIN_GRACE_SECONDS: '1' })
  http = await startHttpUpstream({ ...floodingProgram, args: [...floodingProgram.args, '--http'] })
  other = await hub.agentOf('other', { quiet: overStdio(floodingProgram) })
  await until(() => isAnswered(other, 'quiet_echo'))
})

afterAll(async () => {
  console.table(rows)
  await hub[Symbol.asyncDispose]()
  await http[Symbol.asyncDispose]()
})

test.each(stdioFloods)('a flood of $kind over stdio', { timeout: 300_000 }, (flood) => measure('stdio', flood))

test.each(streamFloods)('a flood of $kind on a stream', { timeout: 300_000 }, (flood) =>
  measure('stream', flood, http.url),
)

test('the hub ends while ten upstreams flood it', { timeout: 300_000 }, async () => {
  const kinds = ['notices', 'noise', 'newlines', 'stderr', 'emptyStderr']
  for (const [index, kind] of [...kinds, ...kinds].entries()) await startFlood(hub, `last-${index}`, { kind })
  const call = await timed(() => isAnswered(other, 'quiet_echo'))
  const health = await timed(healthy)
  const begun = performance.now()
  expect(await hub.end('SIGTERM')).toEqual({ code: 0, signal: null })
  rows.push({ flood: 'ten at once', call, health, SIGTERM: Math.round(performance.now() - begun) })
})

/** Times in milliseconds: the median and the longest of the calls of another session, and of `/healthz`. */
async function measure(over: string, flood: FloodKind, url?: string): Promise<void> {
  const session = `${over}-${flood.kind.toLowerCase()}`
  const running = await startFlood(hub, session, flood, url)
  const begun = performance.now()
  const cpuBefore = cpuMsOf(hub)
  const calls: number[] = []
  const pings: number[] = []
  while (performance.now() - begun < floodMs) {
    calls.push(await timed(() => isAnswered(other, 'quiet_echo')))
    pings.push(await timed(healthy))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const cpu = (100 * (cpuMsOf(hub) - cpuBefore)) / (performance.now() - begun)
  const isRunning = running.isRunning()
  const kill = await timed(() => hub.call('kill_session', { name: session }))
  const ended = await running.ended
  rows.push({
    flood: `${flood.kind}, ${over}`,
    'cpu %': Math.round(cpu),
    'peak MB': Math.round(peakMbOf(hub)),
    call: spread(calls),
    health: spread(pings),
    kill,
  })
  // An event without end is ended by the hub, and all others by us.
  expect(isRunning || ended.includes('lines of data'), ended).toBe(true)
  expect(Math.max(...calls, ...pings, kill)).toBeLessThan(mostMs)
}

async function healthy(): Promise<void> {
  expect((await fetch(new URL('/healthz', hub.url))).status).toBe(200)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return Math.round(performance.now() - begun)
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other)
  return `${sorted[Math.floor(sorted.length / 2)]} / ${sorted.at(-1)}`
}
