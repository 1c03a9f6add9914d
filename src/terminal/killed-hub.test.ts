/** A hub that is killed again and again loses nothing of a conversation on pipes, and repeats nothing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { endProgram } from '../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { until } from '../../test/fixtures/until.ts'
import { readHolderInfo } from './holder/holder-info.ts'
import { readInputs } from './journal/journal.ts'

const questions = 60
const maxStepsPerHub = 70

test('every question is answered once and in order', { timeout: 240_000 }, async () => {
  const random = seededRandom(1)
  const directory = temporaryDirectory()
  const home = join(directory, 'programs', 'p')
  onTestFinished(() => endProgram(readHolderInfo(home)?.childPid ?? 0))

  let kills = 0
  while (!(await runHub(directory, Math.ceil(random() * maxStepsPerHub)))) kills++

  expect(kills).toBeGreaterThanOrEqual(4)
  const numbers = Array.from({ length: questions }, (_, index) => index + 1)
  expect(await until(() => readHolderInfo(home)?.exit)).toMatchObject({ code: 0, signal: null })
  expect(readLines(join(directory, 'taken'))).toEqual(numbers.map(String))
  expect(readLines(join(directory, 'kept')).map((line) => (JSON.parse(line) as { line: string }).line)).toEqual(
    numbers.flatMap((id) => [
      ...Array.from({ length: id % 4 }, (_, step) => JSON.stringify({ progress: id, step })),
      JSON.stringify({ answer: id }),
    ]),
  )
  const recorded = [...readInputs(join(home, 'journal'), 0)]
  expect(recorded.map(({ sequence, text }) => [sequence, text])).toEqual(
    numbers.map((id) => [id, `${JSON.stringify({ id })}\n`]),
  )
})

/** Kills the hub after this many steps. Returns true if it had finished by then. */
async function runHub(directory: string, steps: number): Promise<boolean> {
  const player = resolve(import.meta.dirname, '../../test/worlds/piped-hub.ts')
  const hub = spawn(process.execPath, [player, directory, String(questions)], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void hub.kill('SIGKILL'))
  let seen = ''
  hub.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text
    if (seen.split('\n').length > steps) hub.kill('SIGKILL')
  })
  const [code] = (await once(hub, 'close')) as [number | null]
  if (code !== null && code !== 0) throw new Error(`the hub failed with ${code}`)
  return seen.endsWith('done\n')
}

function readLines(path: string): readonly string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n')
}

/** mulberry32 */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
