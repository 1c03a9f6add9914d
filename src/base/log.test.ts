import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from './log.ts'
import type { Log, LogLevel } from './log.ts'
import { createRedactor, redactedText } from './redact.ts'

function collect(level: LogLevel = 'info') {
  const text: string[] = []
  const redactor = createRedactor()
  const log: Log = createLog({ level, redactor, destination: { write: (line) => text.push(line) } })
  return { log, redactor, text, lines: () => text.map((line): unknown => JSON.parse(line)) }
}

test('a line is one JSON object with time, level, fields and message', () => {
  const { log, text, lines } = collect()
  log.info({ session: 'build', ms: 12 }, 'started')
  expect(lines()).toEqual([
    { level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), session: 'build', ms: 12, message: 'started' },
  ])
  expect(text[0]).toMatch(/^[^\n]*\n$/)
})

test('lines below the level are not written', () => {
  const { log, lines } = collect('warn')
  log.debug({}, 'no')
  log.info({}, 'no')
  log.warn({}, 'yes')
  log.error({}, 'yes')
  expect(lines()).toMatchObject([{ level: 'warn' }, { level: 'error' }])
})

test('a child adds its fields to every line', () => {
  const { log, lines } = collect()
  log.child({ connection: 'c1' }).child({ correlation: 'x' }).info({ n: 1 }, 'called')
  expect(lines()).toMatchObject([{ connection: 'c1', correlation: 'x', n: 1 }])
})

test('fields, messages, errors and their causes are redacted', () => {
  const { log, redactor, text, lines } = collect()
  redactor.addSecret('hunter2-hunter2')
  const error = new Error('refused: hunter2-hunter2', { cause: new Error('Authorization: Bearer abc') })
  log.error({ error, headers: { authorization: 'Bearer abc' }, note: 'is hunter2-hunter2' }, 'sb_human_abc was refused')
  expect(text.join('')).not.toMatch(/hunter2|Bearer|sb_human/)
  expect(lines()).toMatchObject([
    {
      error: { message: `refused: ${redactedText}` },
      headers: { authorization: redactedText },
      message: `${redactedText} was refused`,
    },
  ])
})

test('hides a secret in the fields of a child log that was created before the secret became known', () => {
  const { log, redactor, text } = collect()
  const child = log.child({ late: 'hunter2-hunter2' })
  redactor.addSecret('hunter2-hunter2')
  child.info({}, 'called')
  expect(text.join('')).not.toContain('hunter2')
})

test('writes fields with cycles, bytes and odd names as valid JSON', () => {
  const { log, lines } = collect()
  const cyclic: Record<string, unknown> = { bytes: new Uint8Array(3) }
  cyclic['self'] = cyclic
  log.info({ cyclic, level: 'mine', 'a"b': 1 }, 'odd %s %d')
  expect(lines()).toMatchObject([
    { cyclic: { bytes: '[3 bytes]', self: '[circular]' }, 'a"b': 1, message: 'odd %s %d' },
  ])
})

test('counts a message that repeats endlessly and still writes other messages', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { log, lines } = collect()
  const child = log.child({ connection: 'c1' })
  for (let count = 0; count < 40; count++) log.warn({ count }, 'a client misbehaves')
  for (let count = 0; count < 1_000; count++) child.warn({ count }, 'a client misbehaves')
  log.warn({}, 'something else')
  expect(lines()).toHaveLength(51)
  expect(lines().at(-1)).toMatchObject({ message: 'something else' })
  vi.advanceTimersByTime(10_000)
  expect(lines().slice(51)).toMatchObject([
    { level: 'warn', left_out: 990, of: 'a client misbehaves', message: 'the log leaves out repeated lines' },
  ])
  log.warn({}, 'a client misbehaves')
  vi.advanceTimersByTime(60_000)
  expect(lines()).toHaveLength(53)
})

test('writes all debug lines', () => {
  const { log, lines } = collect('debug')
  for (let count = 0; count < 100; count++) log.debug({ count }, 'called')
  expect(lines()).toHaveLength(100)
})

test('a program continues after the reader of its stderr has gone', async () => {
  const program = `
    const { createLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)})
    const { createRedactor } = await import(${JSON.stringify(new URL('./redact.ts', import.meta.url).href)})
    const log = createLog({ level: 'info', redactor: createRedactor() })
    log.info({}, 'first')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    for (let count = 0; count < 100; count++) log.info({ count }, 'unread')
    await new Promise((resolve) => setTimeout(resolve, 50))
    console.log('still here')
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe' })
  const [first] = (await once(child.stderr, 'data')) as [Buffer]
  expect(String(first)).toContain('"message":"first"')
  child.stderr.destroy()
  child.stdin.write('continue\n')
  const [output] = (await once(child.stdout, 'data')) as [Buffer]
  expect(String(output)).toBe('still here\n')
  expect(await once(child, 'exit')).toEqual([0, null])
})
