/**
 * Acts as a hub that may be killed at any moment. It sends questions to a program on pipes, keeps each line of output in
 * a file, and reports every step to its parent. The next one continues from there.
 */
import { appendFileSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createPipedPrograms } from '../../src/terminal/piped-programs.ts'

const [, , directory = '', count = ''] = process.argv
const questions = Number(count)
const kept = join(directory, 'kept')
/** The largest number of unanswered questions. */
const window = 8

const programs = createPipedPrograms({
  directory: join(directory, 'programs'),
  socketDirectory: join(directory, 'run'),
  version: 'test',
  journal: { segmentBytes: 4096, maxBytes: 1024 * 1024 },
})
const program = (await programs.adopt('p')) ?? (await start())
let { since, answered } = readKept()
let sent = program.input.sequence
const writes: Promise<void>[] = []
step('up')
ask()
if (answered < questions) {
  for await (const { bytes, end } of program.lines(since)) {
    step('read')
    const line = bytes.toString()
    appendFileSync(kept, `${JSON.stringify({ end, line })}\n`)
    step('kept')
    program.processed(end)
    if (line.includes('answer') && ++answered === questions) break
    ask()
  }
}
await Promise.all(writes)
program.closeInput()
program.release()
step('done')

function start() {
  const args = [resolve(import.meta.dirname, '../fixtures/json-answerer.ts'), join(directory, 'taken')]
  return programs.start('p', { file: process.execPath, args, cwd: '/', env: { PATH: '/usr/bin:/bin' } })
}

function ask(): void {
  while (sent < questions && sent - answered < window) {
    const sequence = ++sent
    step('ask')
    const written = program.write(`${JSON.stringify({ id: sequence })}\n`, { sequence })
    writes.push(written.then(() => step('recorded')))
  }
}

/** A line that a kill cut off does not count. */
function readKept(): { since: number; answered: number } {
  appendFileSync(kept, '')
  const text = readFileSync(kept, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  truncateSync(kept, Buffer.byteLength(whole))
  const lines = whole.split('\n').filter(Boolean)
  const last = lines.at(-1)
  return {
    since: last === undefined ? 0 : (JSON.parse(last) as { end: number }).end,
    answered: lines.filter((line) => line.includes('answer')).length,
  }
}

function step(what: string): void {
  writeSync(1, `${what}\n`)
}
