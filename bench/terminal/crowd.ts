/** Many sessions that print at a steady rate, fed from here, so that the programs themselves cost next to nothing. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { BenchHub } from './bench-hub.ts'
import { type Output, openClient } from './mcp-client.ts'

export interface Crowd extends AsyncDisposable {
  readonly names: readonly string[]
  /** Prints at so many bytes a second in each, until told to stop; answers how much each was given. */
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
      let given = 0
      const startedAt = performance.now()
      for (let step = 1; !signal.aborted; step++) {
        const stamped = `@${Date.now()}\r\n${text}`
        for (const pipe of pipes) pipe.write(stamped)
        given += stamped.length
        await delay(Math.max(0, startedAt + step * stepMs - performance.now()))
      }
      return given
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
  /** From when it was given to a program until a viewer saw it. */
  readonly lagsMs: readonly number[]
  /** From the last byte given until the last session had it on its screen. */
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
  const given = await crowd.feed(bytesPerSecond, stop)
  const fedUntil = performance.now()
  const after = { hub: await hub.cpuMs(), holders: holdersCpu(hub) }
  const elapsed = fedUntil - startedAt
  for (const name of crowd.names) await untilDrawn(hub, name, ends.get(name)! + given)
  return {
    hubCpuPercent: ((after.hub - before.hub) / elapsed) * 100,
    holdersCpuPercent: ((after.holders - before.holders) / elapsed) * 100,
    lagsMs: (await Promise.all(watching)).flat(),
    caughtUpMs: performance.now() - fedUntil,
  }
}

/** Where the output of each ends. */
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
    const given = /@(\d{13})\r\n(?![^]*@\d{13})/.exec(output.data)?.[1]
    if (given !== undefined) lags.push(Date.now() - Number(given))
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
