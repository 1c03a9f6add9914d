/** Indexes the tree it is given into an empty folder, searches it, and prints the figures. It runs nothing else. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '../../../src/base/log.ts'
import { createRedactor } from '../../../src/base/redact.ts'
import { programEnvironment } from '../../../src/config/program-environment.ts'
import { openRepositoryIndexes } from '../../../src/index/index.ts'
import { memoryMb } from './process-memory.ts'
import { scaleQuestions } from './questions.ts'

export interface EngineFigures {
  readonly files: number
  readonly chunks: number
  readonly indexSeconds: number
  readonly cpuSeconds: number
  readonly mbBefore: number
  readonly mbPeak: number
  readonly mbOnDisk: number
  readonly noOpMs: readonly number[]
  readonly queryMs: readonly number[]
  /** CPU time of all threads. On a busy machine it says more than the elapsed time. */
  readonly queryCpuMs: readonly number[]
  /** After the last query, without the indexer. */
  readonly mbSearching: number
}

const [root = '', directory = ''] = process.argv.slice(2)
const log = createLog({ level: 'warn', redactor: createRedactor() })
const source = { id: 'large', root }
const hitsPerQuery = 10
const noOpRounds = 5

await using indexes = openRepositoryIndexes({ directory, env: programEnvironment(process.env), log })
const mbBefore = memoryMb('self', 'VmRSS')
const startedAt = performance.now()
const { files, chunks } = await indexes.refresh(source)
const indexSeconds = (performance.now() - startedAt) / 1000
// The indexer waits for the next question in a process of its own.
const processes = ['self', ...childProcesses()]
const cpuSeconds = processes.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
const mbPeak = processes.reduce((sum, pid) => sum + memoryMb(pid, 'VmHWM'), 0)
const noOps = await timesOf(Array.from({ length: noOpRounds }), () => indexes.refresh(source))
const queries = await timesOf(scaleQuestions(), (query) =>
  indexes.search(source, { query, mode: 'lexical', limit: hitsPerQuery }),
)
const figures: EngineFigures = {
  files,
  chunks,
  indexSeconds,
  cpuSeconds,
  mbBefore,
  mbPeak,
  mbOnDisk: readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size / 1e6, 0),
  noOpMs: noOps.map(({ ms }) => ms),
  queryMs: queries.map(({ ms }) => ms),
  queryCpuMs: queries.map(({ cpuMs }) => cpuMs),
  mbSearching: memoryMb('self', 'VmRSS'),
}
console.log(JSON.stringify(figures))

interface Taken {
  readonly ms: number
  readonly cpuMs: number
}

async function timesOf<T>(inputs: readonly T[], run: (input: T) => Promise<unknown>): Promise<readonly Taken[]> {
  const times: Taken[] = []
  for (const input of inputs) {
    const from = performance.now()
    const cpuFrom = process.cpuUsage()
    await run(input)
    const { user, system } = process.cpuUsage(cpuFrom)
    times.push({ ms: performance.now() - from, cpuMs: (user + system) / 1000 })
  }
  return times
}

function childProcesses(): readonly string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && statFields(pid)?.[1] === String(process.pid))
}

/** With the children it has waited for. The kernel counts in hundredths of a second. */
function cpuSecondsOf(pid: string): number {
  return statFields(pid)!
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
}

/** The fields after the name: the state, the parent, and so on. `undefined`: the process has ended. */
function statFields(pid: string): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  } catch {
    return undefined
  }
}
