/** Many sessions that print at a steady rate. This process feeds them, so that their programs cost almost nothing. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { BenchHub } from './bench-hub.ts'
import { type Output, openClient } from './mcp-client.ts'

export interface Crowd extends AsyncDisposable {
  readonly names: readonly string[]
  /** Prints this many bytes a second in each session until the signal. Returns the number of bytes for each. */
  feed(bytesPerSecond: number, signal: AbortSignal): Promise<number>
}

const stepMs = 50
const startAtOnce = 10

export async function startCrowd(hub: BenchHub, size: number): Promise<Crowd> {
  const names = Array.from({ length: size }, (_, index) => `crowd-${index}`)
  const pipes: WriteStream[] = []
  for (let from = 0; from < size; from += startAtOnce) {
    pipes.push(...(await Promise.all(names.slice(from, from + startAtOnce).map((name) => startOne(hub, name)))))
  }
  return {
    names,
    async feed(bytesPerSecond, signal) {
      const line = `${'a line of output, such as programs print all day long '.repeat(2).slice(0, 79)}\r\n`
      const text = line.repeat(Math.ceil((bytesPerSecond * stepMs) / 1000 / line.length))
      let sent = 0
      const startedAt = performance.now()
      for (let step = 1; !signal.aborted; step++) {
        const stamped = `@${Date.now()}\r\n${text}`
        for (const pipe of pipes) pipe.write(stamped)
        sent += stamped.length
        await delay(Math.max(0, startedAt + step * stepMs - performance.now()))
      }
      return sent
    },
    async [Symbol.asyncDispose]() {
      for (const pipe of pipes) pipe.destroy()
      await Promise.all(names.map((name) => hub.client.call('kill_session', { name, remove: true })))
    },
  }
}

async function startOne(hub: BenchHub, name: string): Promise<WriteStream> {
  const path = join(hub.home, `${name}.pipe`)
  execFileSync('mkfifo', [path])
  await hub.client.call('create_session', { name, command: `stty raw -echo; exec cat '${path}'` })
  const pipe = createWriteStream(path)
  await once(pipe, 'open')
  return pipe
}

export interface CrowdFigures {
  readonly hubCpuPercent: number
  readonly holdersCpuPercent: number
  /** From the write to the program until a viewer got the output. */
  readonly lagsMs: readonly number[]
  /** From the last write until the last session had all output on its screen. */
  readonly caughtUpMs: number
}

const watched = 5

export async function measureCrowd(
  hub: BenchHub,
  crowd: Crowd,
  bytesPerSecond: number,
  ms: number,
): Promise<CrowdFigures> {
  const before = { hub: await hub.cpuMs(), holders: holdersCpu(hub) }
  const startedAt = performance.now()
  const stop = AbortSignal.timeout(ms)
  const ends = await endsOf(hub, crowd.names)
  const watching = crowd.names.slice(0, watched).map((session) => watchLag(hub, session, stop))
  const sent = await crowd.feed(bytesPerSecond, stop)
  const fedUntil = performance.now()
  const after = { hub: await hub.cpuMs(), holders: holdersCpu(hub) }
  const elapsed = fedUntil - startedAt
  for (const name of crowd.names) await untilDrawn(hub, name, ends.get(name)! + sent)
  return {
    hubCpuPercent: ((after.hub - before.hub) / elapsed) * 100,
    holdersCpuPercent: ((after.holders - before.holders) / elapsed) * 100,
    lagsMs: (await Promise.all(watching)).flat(),
    caughtUpMs: performance.now() - fedUntil,
  }
}

/** The end offset of each session's output. */
async function endsOf(hub: BenchHub, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const ends = names.map(async (name) => [name, await drawnOffset(hub, name)] as const)
  return new Map(await Promise.all(ends))
}

async function watchLag(hub: BenchHub, session: string, stop: AbortSignal): Promise<readonly number[]> {
  using viewer = openClient(hub)
  const lags: number[] = []
  let since = -1
  while (!stop.aborted) {
    const output = await viewer.call<Output>('read_output', { session, since, timeout_ms: 1_000 })
    since = output.next_offset
    const sentAt = /@(\d{13})\r\n(?![^]*@\d{13})/.exec(output.data)?.[1]
    if (sentAt !== undefined) lags.push(Date.now() - Number(sentAt))
  }
  return lags
}

async function drawnOffset(hub: BenchHub, session: string): Promise<number> {
  return (await hub.client.call<{ offset: number }>('read_screen', { session })).offset
}

async function untilDrawn(hub: BenchHub, session: string, offset: number): Promise<void> {
  while ((await drawnOffset(hub, session)) < offset) await delay(5)
}

function holdersCpu(hub: BenchHub): number {
  return hub.holders().reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}
