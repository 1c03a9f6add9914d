/**
 * How well a search finds the files that answer a question: ripgrep, SQLite's full-text search as it comes, and the
 * index of the hub, without and with an embedding model. And the cost of a large index.
 *
 *   npm run bench:retrieval -- [--part questions|embeddings|scale] [--half tune|final] [--show-misses] [--write-docs]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDefaultFts } from './retrieval/default-fts.ts'
import { modelName } from './retrieval/embeddings/model-files.ts'
import { startEmbeddingServer } from './retrieval/embeddings/start-server.ts'
import { measure } from './retrieval/measure.ts'
import { printMisses } from './retrieval/misses.ts'
import { createOurs } from './retrieval/ours.ts'
import { halves } from './retrieval/questions.ts'
import { benchDirectory, repositories } from './retrieval/repositories.ts'
import { questionsReport, scaleReport } from './retrieval/results-table.ts'
import { createRipgrep } from './retrieval/ripgrep.ts'
import { measureScale } from './retrieval/scale/measure-scale.ts'
import { writeIntoDocs } from './write-benchmarks.ts'

const { values } = parseArgs({
  options: {
    part: { type: 'string' },
    half: { type: 'string' },
    'show-misses': { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
  },
})
const part = oneOf('part', ['questions', 'embeddings', 'scale'] as const)
const half = oneOf('half', halves)
/** The budgets are for the first size. */
const sizes = [10_000, 50_000]

/** The smallest ones: on two cores the model takes about an hour for all. */
const embedded = ['node-gyp', 'undici', 'rxjs']

if (part === undefined || part === 'questions') await show('bench:retrieval', await askQuestions())
if (part === undefined || part === 'embeddings') await show('bench:retrieval-embeddings', await compareEmbeddings())
if (part === undefined || part === 'scale') {
  const figures = []
  for (const files of sizes) figures.push(await measureScale(files))
  await show('bench:retrieval-scale', scaleReport(figures))
}

async function askQuestions(): Promise<string> {
  await using stack = new AsyncDisposableStack()
  const directory = await temporaryDirectory(stack)
  const systems = [createRipgrep(), ...createDefaultFts(directory), createOurs('Signalbox', join(directory, 'index'))]
  for (const system of systems) stack.use(system)
  const results = await measure(systems, { half, among: repositories })
  // Only of the half that is for tuning: the answers of the other half stay unseen.
  if (values['show-misses']) printMisses(results)
  return questionsReport(results)
}

async function compareEmbeddings(): Promise<string> {
  await using stack = new AsyncDisposableStack()
  const directory = await temporaryDirectory(stack)
  const { url } = stack.use(await startEmbeddingServer(join(benchDirectory, 'vectors.sqlite')))
  const embeddings = { url, model: modelName }
  const systems = [
    createOurs('Signalbox', join(directory, 'words')),
    createOurs(`Signalbox, ${modelName}`, join(directory, 'vectors'), embeddings),
  ]
  for (const system of systems) stack.use(system)
  const among = repositories.filter(({ name }) => embedded.includes(name))
  return questionsReport(await measure(systems, { half, among }))
}

async function temporaryDirectory(stack: AsyncDisposableStack): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-bench-'))
  stack.defer(() => rm(directory, { recursive: true }))
  return directory
}

async function show(bench: string, text: string): Promise<void> {
  console.log(text)
  if (values['write-docs']) await writeIntoDocs(bench, text)
}

function oneOf<T extends string>(option: 'part' | 'half', allowed: readonly T[]): T | undefined {
  const given = values[option]
  const found = allowed.find((each) => each === given)
  if (given !== found) throw new Error(`--${option} is one of: ${allowed.join(', ')}.`)
  return found
}
