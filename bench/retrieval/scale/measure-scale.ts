/** The cost of a large index: the engine in a process of its own, next to ripgrep on the same tree. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median, percentile } from '../../figures.ts'
import { markdownTable } from '../../markdown-table.ts'
import { keywordsOf } from '../keywords.ts'
import { filesWithWords } from '../ripgrep.ts'
import type { EngineFigures } from './engine-process.ts'
import { largeTree } from './generate-tree.ts'
import { memoryMb } from './process-memory.ts'
import { scaleQuestions } from './questions.ts'

const run = promisify(execFile)

export interface ScaleFigures extends EngineFigures {
  readonly ripgrepMs: readonly number[]
  readonly ripgrepMb: number
}

/** Ripgrep reads the whole tree for each question, so a part of the questions is enough. */
const ripgrepQuestions = 40

export async function measureScale(files: number): Promise<ScaleFigures> {
  const root = largeTree(files)
  process.stderr.write(`${files} files: index\n`)
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-bench-'))
  try {
    const program = fileURLToPath(new URL('engine-process.ts', import.meta.url))
    const { stdout } = await run(process.execPath, [program, root, directory])
    return { ...(JSON.parse(stdout) as EngineFigures), ...(await measureRipgrep(root)) }
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function measureRipgrep(root: string): Promise<Pick<ScaleFigures, 'ripgrepMs' | 'ripgrepMb'>> {
  const questions = scaleQuestions()
  const step = Math.floor(questions.length / ripgrepQuestions)
  const ripgrepMs: number[] = []
  let ripgrepMb = 0
  for (const question of questions.filter((_, index) => index % step === 0)) {
    const startedAt = performance.now()
    let timer: NodeJS.Timeout | undefined
    await filesWithWords(root, keywordsOf(question), (pid) => {
      timer = setInterval(() => (ripgrepMb = Math.max(ripgrepMb, memoryOf(pid))), sampleMs)
    })
    clearInterval(timer)
    ripgrepMs.push(performance.now() - startedAt)
  }
  return { ripgrepMs, ripgrepMb }
}

const sampleMs = 10

function memoryOf(pid: number): number {
  try {
    return memoryMb(String(pid), 'VmHWM') || 0
  } catch {
    // The process has ended.
    return 0
  }
}

export function scaleTable(results: readonly ScaleFigures[]): string {
  const ms = (values: readonly number[]) =>
    `${percentile(values, 0.5).toFixed(0)} / ${percentile(values, 0.99).toFixed(0)}`
  const rows: readonly (readonly [string, string, (figures: ScaleFigures) => string])[] = [
    ['chunks', '', ({ chunks }) => chunks.toLocaleString('en')],
    ['index, s', '60 for 10,000', ({ indexSeconds }) => indexSeconds.toFixed(0)],
    ['index, CPU s', '', ({ cpuSeconds }) => cpuSeconds.toFixed(0)],
    ['index on disk, MB', '', ({ mbOnDisk }) => mbOnDisk.toFixed(0)],
    ['memory before, MB', '', ({ mbBefore }) => mbBefore.toFixed(0)],
    ['memory more at the peak, MB', '300', ({ mbBefore, mbPeak }) => (mbPeak - mbBefore).toFixed(0)],
    ['refresh without changes, ms', '500 for 10,000', ({ noOpMs }) => median(noOpMs).toFixed(0)],
    ['search, p50 / p99 ms', '30 for 10,000', ({ queryMs }) => ms(queryMs)],
    ['search, CPU, p50 / p99 ms', '', ({ queryCpuMs }) => ms(queryCpuMs)],
    ['memory after the searches, MB', '', ({ mbSearching }) => mbSearching.toFixed(0)],
    ['ripgrep, p50 / p99 ms', '', ({ ripgrepMs }) => ms(ripgrepMs)],
    ['ripgrep, memory at the peak, MB', '', ({ ripgrepMb }) => ripgrepMb.toFixed(0)],
  ]
  const heading = ['', 'budget', ...results.map(({ files }) => `${files.toLocaleString('en')} files`)]
  return markdownTable([heading, ...rows.map(([name, budget, of]) => [name, budget, ...results.map(of)])], 2).join('\n')
}
