/**
 * Ends a hub repeatedly while sessions print without pause and jobs run. After each restart it checks that the processes
 * are the same, that every byte is in its place, and that the screens equal those of a plain emulator that got the same
 * output.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import { drawReferences, inWords } from '../fixtures/draw-references.ts'
import type { Picture } from '../fixtures/reference-screens.ts'
import { type HubProcess, startHubProcess } from '../worlds/hub-process.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { enqueueJobs } from './survival-jobs.ts'
import { readJournalFiles } from './read-journal-files.ts'

export type Ending = 'SIGKILL' | 'SIGTERM' | 'SIGKILL to the group of npm start'

export interface SurvivalOptions {
  readonly sessions: number
  readonly jobs: number
  /** In this order. */
  readonly endings: readonly Ending[]
  /** How much each session prints between two endings. */
  readonly bytesBetween: number
}

export interface SurvivalReport {
  readonly sessions: number
  readonly jobs: number
  readonly endings: number
  readonly megabytes: number
  readonly screensCompared: number
  /** For each ending, the time until the next hub has returned all sessions, jobs and screens. */
  readonly backAfterMs: readonly number[]
  readonly questionsAnswered: string
}

interface Talker {
  readonly name: string
  /** A copy of its output, byte for byte. */
  readonly file: string
  readonly cols: number
  readonly rows: number
  /** The talker prints this much as fast as it can. */
  readonly burstBytes: number
}

const patience = { timeout: 120_000, interval: 50 }
const talkerProgram = fixture('talker.ts')
const sizes = [
  { cols: 80, rows: 24 },
  { cols: 120, rows: 40 },
  { cols: 61, rows: 13 },
]

/** Takes long enough to draw that a running hub saves the screen on the way. */
const savedBurst = 1_200_000
/** Too little for a snapshot, so the next hub draws the screen from the journal alone. */
const unsavedBurst = 10_000

export async function survive({ sessions, jobs, endings, bytesBetween }: SurvivalOptions): Promise<SurvivalReport> {
  await using home = await createTempHome()
  let hub = await startHubProcess({ home: home.path, env, viaNpm: isByNpm(endings[0]) })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => hub[Symbol.asyncDispose]())

  const talkers = await Promise.all(Array.from({ length: sessions }, (_, index) => startTalker(hub, home.path, index)))
  await untilWritten(talkers, ({ burstBytes }) => burstBytes)
  await untilSaved(hub, talkers)
  const queue = await enqueueJobs(hub, home.path, { count: jobs, atOnce: jobsAtOnce })
  const pids = await pidsOf(hub)
  const backAfterMs: number[] = []

  for (const [index, ending] of endings.entries()) {
    await grow(talkers, bytesBetween)
    // A hub that is stopped saves the screens. With no output since, the next hub shows exactly these.
    const isQuiet = ending === 'SIGTERM'
    if (isQuiet) await pause(hub, talkers)
    const endedAt = performance.now()
    await hub.end(ending === 'SIGTERM' ? ending : 'SIGKILL')
    const talking = isQuiet ? undefined : grow(talkers, 1)
    hub = await startHubProcess({ home: home.path, env, viaNpm: isByNpm(endings[index + 1]) })
    expect(await pidsOf(hub)).toEqual(pids)
    await queue.expectUnchanged(hub)
    await readAllScreens(hub, talkers)
    backAfterMs.push(Math.round(performance.now() - endedAt))
    await talking
    if (!isQuiet) await pause(hub, talkers)
    await expectScreens(hub, talkers)
    await type(hub, talkers, 'g')
  }

  await grow(talkers, 1)
  await type(hub, talkers, 'q')
  await Promise.all(talkers.map((talker) => expectWholeEnd(hub, talker)))
  await expectScreens(hub, talkers)
  await queue.finish(hub)
  return {
    sessions,
    jobs,
    endings: endings.length,
    megabytes: Math.round(talkers.reduce((sum, { file }) => sum + statSync(file).size, 0) / 1e6),
    screensCompared: talkers.length * (endings.length + 1),
    backAfterMs,
    questionsAnswered: countAnswers(talkers),
  }
}

/** One less than the number of jobs, so that one waits. */
const jobsAtOnce = 3
const env = { SIGNALBOX_JOB_CONCURRENCY: String(jobsAtOnce) }

function isByNpm(ending: Ending | undefined): boolean {
  return ending === 'SIGKILL to the group of npm start'
}

async function startTalker(hub: HubProcess, home: string, index: number): Promise<Talker> {
  const burstBytes = index % 2 === 0 ? savedBurst : unsavedBurst
  const size = sizes[index % sizes.length]!
  const talker = { name: `talker-${index}`, file: join(home, `talker-${index}`), burstBytes, ...size }
  const printing = `"${process.execPath}" "${talkerProgram}" "${talker.file}" ${index + 1} ${burstBytes}`
  await callTool(hub, 'create_session', {
    name: talker.name,
    command: `stty raw -echo min 0 time 0; exec ${printing}`,
    size,
  })
  return talker
}

async function pidsOf(hub: HubProcess): Promise<Readonly<Record<string, number | undefined>>> {
  const { sessions } = (await callTool(hub, 'list_sessions', { status: 'running' })) as { sessions: readonly Session[] }
  const talkers = sessions.filter(({ name }) => name.startsWith('talker-'))
  return Object.fromEntries(talkers.map(({ name, pid }) => [name, pid]))
}

/** Waits until each has written this much more, even while no hub runs. */
async function grow(talkers: readonly Talker[], bytes: number): Promise<void> {
  const goals = new Map(talkers.map((talker) => [talker, writtenBy(talker) + bytes]))
  await untilWritten(talkers, (talker) => goals.get(talker)!)
}

async function untilWritten(talkers: readonly Talker[], goalOf: (talker: Talker) => number): Promise<void> {
  const missing = () => talkers.filter((talker) => writtenBy(talker) < goalOf(talker)).map(({ name }) => name)
  await expect.poll(missing, patience).toEqual([])
}

async function untilSaved(hub: HubProcess, talkers: readonly Talker[]): Promise<void> {
  for (const { name, burstBytes } of talkers) {
    if (burstBytes < savedBurst) continue
    const { log_path } = (await callTool(hub, 'get_session', { name })) as unknown as Session
    const snapshot = join(dirname(log_path), 'screen.json')
    await expect.poll(() => existsSync(snapshot), { ...patience, message: `${name} is saved` }).toBe(true)
  }
}

function writtenBy({ file }: Talker): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

async function type(hub: HubProcess, talkers: readonly Talker[], text: string): Promise<void> {
  await Promise.all(talkers.map(({ name }) => callTool(hub, 'send_text', { session: name, text })))
}

/** Pauses all talkers, and waits until all their output is on their screens. */
async function pause(hub: HubProcess, talkers: readonly Talker[]): Promise<void> {
  await type(hub, talkers, 'p')
  for (const { name, file } of talkers) {
    await expect.poll(() => existsSync(`${file}.paused`), { ...patience, message: `${name} pauses` }).toBe(true)
    const printed = Number(readFileSync(`${file}.paused`, 'utf8'))
    const offset = async () => (await callTool(hub, 'read_screen', { session: name }))['offset']
    await expect.poll(offset, { ...patience, message: `${name} is drawn` }).toBe(printed)
  }
}

/** Reads all screens at once, as a person does who opens all sessions. Each must include at least the early output. */
async function readAllScreens(hub: HubProcess, talkers: readonly Talker[]): Promise<void> {
  const screens = talkers.map(({ name }) => callTool(hub, 'read_screen', { session: name }))
  for (const [index, { offset }] of (await Promise.all(screens)).entries()) {
    expect(offset).toBeGreaterThanOrEqual(talkers[index]!.burstBytes)
  }
}

async function expectScreens(hub: HubProcess, talkers: readonly Talker[]): Promise<void> {
  const pictures = await drawReferences(talkers)
  for (const [index, { name, cols, rows }] of talkers.entries()) {
    const { cursor, scrollback, bytes, ...picture } = pictures[index]!
    const screen = await callTool(hub, 'read_screen', { session: name, cells: true })
    expect(screen, name).toMatchObject({ rows, cols, cursor, offset: bytes })
    expect((screen['lines'] as Picture['lines']).map(inWords), name).toEqual(picture.lines.map(inWords))
    const above = await callTool(hub, 'read_scrollback', { session: name, count: 1_000 })
    expect(above['lines'], name).toEqual(scrollback.slice(-1_000).toReversed())
  }
}

async function expectWholeEnd(hub: HubProcess, { name, file }: Talker): Promise<void> {
  await callTool(hub, 'wait_session', { name, for: 'exit' })
  const session = (await callTool(hub, 'get_session', { name })) as unknown as Session
  expect(session).toMatchObject({ status: 'completed', exit_code: 0 })
  const written = readFileSync(file)
  const journal = readJournalFiles(session.log_path)
  expect(journal.length, `${name} wrote ${written.length} bytes`).toBe(written.length)
  expect(journal.equals(written), `the journal of ${name}`).toBe(true)
}

/** After a restart a hub may leave a question of a program unanswered, but must never answer it twice. */
function countAnswers(talkers: readonly Talker[]): string {
  const counts = talkers.map(({ file }) => {
    const { asked, answered } = JSON.parse(readFileSync(`${file}.answers`, 'utf8')) as {
      asked: number
      answered: number
    }
    expect(answered).toBeLessThanOrEqual(asked)
    expect(answered).toBeGreaterThan(0)
    return { asked, answered }
  })
  const sum = (key: 'asked' | 'answered') => counts.reduce((total, count) => total + count[key], 0)
  return `${sum('answered')} of ${sum('asked')}`
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
}
