/** The hub under test, and what it and its holders use. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { startHubProcess } from '../../test/harness/hub-process.ts'
import type { Endpoint } from '../../test/harness/modern-call.ts'
import { createTempHome } from '../../test/harness/temp-home.ts'
import { type McpClient, openClient } from './mcp-client.ts'

export interface BenchHub extends Endpoint, AsyncDisposable {
  readonly home: string
  readonly client: McpClient
  usage(): Promise<Usage>
  holders(): readonly HolderUsage[]
  /** Kills it and starts another; answers how long that took, from the start of its process until it was ready. */
  restart(): Promise<number>
}

export interface Usage {
  readonly cpuMs: number
  readonly heapMb: number
  readonly rssMb: number
}

export interface HolderUsage {
  readonly cpuMs: number
  readonly rssMb: number
  /** Shared with no other process. */
  readonly privateMb: number
}

const nodeFlags = ['--expose-gc', '--import', new URL('report-usage.ts', import.meta.url).href]
const usageSchema = z.object({
  memory: z.object({ heapUsed: z.number(), rss: z.number() }),
  cpu: z.object({ user: z.number(), system: z.number() }),
})

export async function startBenchHub(): Promise<BenchHub> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const begin = () => startHubProcess({ home: home.path, nodeFlags, ipc: true })
  let hub = await begin()
  stack.defer(() => hub[Symbol.asyncDispose]())
  let client = openClient(hub)
  stack.defer(() => client[Symbol.dispose]())
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
    async usage() {
      const answer = once(hub.process, 'message')
      hub.process.send('usage')
      const { memory, cpu } = usageSchema.parse((await answer)[0])
      return { cpuMs: (cpu.user + cpu.system) / 1000, heapMb: memory.heapUsed / 1e6, rssMb: memory.rss / 1e6 }
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

function holderPids(home: string): readonly number[] {
  const sessions = join(home, 'sessions')
  return readdirSync(sessions).flatMap((id) => {
    const notice = JSON.parse(readFileSync(join(sessions, id, 'holder.json'), 'utf8')) as { pid: number; exit?: object }
    return notice.exit ? [] : [notice.pid]
  })
}

/** Linux tells; elsewhere there are no figures. */
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
