/** The hub under test, and the resources that it and its holders use. */
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { startHubProcess } from '../../test/worlds/hub-process.ts'
import type { Endpoint } from '../../test/harness/modern-call.ts'
import { createTempHome } from '../../test/harness/temp-home.ts'
import { type McpClient, openClient } from './mcp-client.ts'

export interface BenchHub extends Endpoint, AsyncDisposable {
  readonly home: string
  readonly client: McpClient
  /** The CPU time so far; right after a restart, the CPU time of the start. */
  cpuMs(): Promise<number>
  /** After a garbage collection. */
  memory(): Promise<Memory>
  holders(): readonly HolderUsage[]
  /** Kills the hub and starts another one. Returns the time from the start of its process until it is ready. */
  restart(): Promise<number>
}

export interface Memory {
  readonly heapMb: number
  readonly rssMb: number
}

export interface HolderUsage {
  readonly cpuMs: number
  readonly rssMb: number
  /** Memory that is not shared with another process. */
  readonly privateMb: number
}

const nodeFlags = ['--expose-gc', '--import', new URL('report-usage.js', import.meta.url).href]
const cpuSchema = z.object({ user: z.number(), system: z.number() })
const memorySchema = z.object({ heapUsed: z.number(), rss: z.number() })

export async function startBenchHub(): Promise<BenchHub> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const begin = () => startHubProcess({ home: home.path, nodeFlags, ipc: true })
  let hub = await begin()
  stack.defer(() => hub[Symbol.asyncDispose]())
  let client = openClient(hub)
  stack.defer(() => client[Symbol.dispose]())
  async function ask(question: 'cpu' | 'memory'): Promise<unknown> {
    const answer = once(hub.process, 'message')
    hub.process.send(question)
    return (await answer)[0]
  }

  const opened = stack.move()
  return {
    home: home.path,
    get url() {
      return hub.url
    },
    get token() {
      return hub.token
    },
    get client() {
      return client
    },
    async cpuMs() {
      const { user, system } = cpuSchema.parse(await ask('cpu'))
      return (user + system) / 1000
    },
    async memory() {
      const { heapUsed, rss } = memorySchema.parse(await ask('memory'))
      return { heapMb: heapUsed / 1e6, rssMb: rss / 1e6 }
    },
    holders: () => holderPids(home.path).map(usageOf),
    async restart() {
      await hub.end('SIGKILL')
      client[Symbol.dispose]()
      const startedAt = performance.now()
      hub = await begin()
      const ms = performance.now() - startedAt
      client = openClient(hub)
      return ms
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Without Node flags, which would disable the compile cache, and started twice, so that the cache is filled. */
export async function idleHubMb(settleMs: number): Promise<number> {
  await using home = await createTempHome()
  await (await startHubProcess({ home: home.path })).end('SIGTERM')
  await using hub = await startHubProcess({ home: home.path })
  await delay(settleMs)
  return usageOf(hub.process.pid!).rssMb
}

function holderPids(home: string): readonly number[] {
  const infos = globSync('sessions/*/holder.json', { cwd: home }).map(
    (path) => JSON.parse(readFileSync(join(home, path), 'utf8')) as { pid: number; exit?: object },
  )
  return infos.filter(({ exit }) => exit === undefined).map(({ pid }) => pid)
}

/** Only Linux provides these figures. */
function usageOf(pid: number): HolderUsage {
  if (process.platform !== 'linux') return { cpuMs: Number.NaN, rssMb: Number.NaN, privateMb: Number.NaN }
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(rollup)?.[1])
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
    rssMb: kilobytes('Rss') / 1000,
    privateMb: (kilobytes('Private_Clean') + kilobytes('Private_Dirty')) / 1000,
  }
}
