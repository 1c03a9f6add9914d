import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { createWatchdogReader, watchdogCommand } from './watchdog.ts'

const mark = 'a-mark'

/** Describes what the reader reports for these chunks. */
function reportOf(chunks: readonly Buffer[], { isFlushed = false } = {}): string {
  const events: string[] = []
  const reader = createWatchdogReader(mark, {
    onOutput: (bytes) => events.push(bytes.toString('latin1')),
    onBegan: (pid) => events.push(`[began ${pid}]`),
    onEnded: ({ code, signal }) => events.push(`[ended ${code} ${signal}]`),
  })
  for (const chunk of chunks) reader.read(chunk)
  if (isFlushed) reader.flush()
  return events.join('')
}

function run(line: string): Buffer {
  const [file = '', ...args] = watchdogCommand({
    file: '/bin/sh',
    args: ['-c', line],
    dropped: ['DROPPED', 'not a name'],
    mark,
  })
  // The watchdog stays for a while, for which the test does not have to wait.
  const script = args.map((arg) => arg.replace('sleep 5', ':'))
  const env = { PATH: '/usr/bin:/bin', DROPPED: 'x', KEPT: 'y' }
  // Both outputs in one, as in a terminal.
  const { stdout } = spawnSync('/bin/sh', ['-c', '"$@" 2>&1', 'sh', file, ...script], { env })
  return stdout
}

describe('a watchdog', () => {
  test.each([
    ['exit 0', '[ended 0 null]'],
    ['exit 7', '[ended 7 null]'],
    ['exit 255', '[ended 255 null]'],
    ['kill -TERM $$', '[ended null 15]'],
    ['kill -KILL $$', '[ended null 9]'],
  ])('reports how the program ended: %s', (line, end) => {
    expect(reportOf([run(`echo out; ${line}`)])).toMatch(/^\[began \d+\]out\n\[ended/)
    expect(reportOf([run(line)])).toContain(end)
  })

  test('reports the process id of the program itself', () => {
    const [, began, own] = /\[began (\d+)\](\d+)\n/.exec(reportOf([run('echo $$')])) ?? []
    expect(began).toBeDefined()
    expect(own).toBe(began)
  })

  test('leaves the error output of the program in place', () => {
    expect(reportOf([run('echo heard >&2')])).toContain('heard\n')
  })

  test('drops exactly the given variables', () => {
    expect(reportOf([run('echo "${DROPPED-none} $KEPT"')])).toContain('none y\n')
  })
})

describe('the reader', () => {
  const stream = Buffer.from(
    `\x1b]7420;${mark};began;42\x1b\\a\x1b]7420;other;ended;1\x1b\\b\x1b]0;t\x07\x1b]7420;${mark};ended;3\x1b\\late`,
  )
  const expected = '[began 42]a\x1b]7420;other;ended;1\x1b\\b\x1b]0;t\x07[ended 3 null]'

  test('removes its own marks, wherever the stream is split, and nothing else', () => {
    expect(reportOf([stream])).toBe(expected)
    for (let at = 1; at < stream.length; at++) {
      expect(reportOf([stream.subarray(0, at), stream.subarray(at)])).toBe(expected)
    }
    expect(reportOf(Array.from(stream, (byte) => Buffer.of(byte)))).toBe(expected)
  })

  test('delays only bytes that may start a mark', () => {
    expect(reportOf([Buffer.from('prompt> ')])).toBe('prompt> ')
    expect(reportOf([Buffer.from('x\x1b')])).toBe('x')
    expect(reportOf([Buffer.from('x\x1b'), Buffer.from('[m')])).toBe('x\x1b[m')
    expect(reportOf([Buffer.from('x\x1b]7420;a-')], { isFlushed: true })).toBe('x\x1b]7420;a-')
  })

  test('passes every byte unchanged, except that it rewrites titles in the syntax of tmux', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
    expect(reportOf([all])).toBe(all.toString('latin1'))
    expect(reportOf([Buffer.from('\x1bkti'), Buffer.from('tle\x1b\\text')])).toBe('\x1b]2;title\x1b\\text')
    expect(reportOf([Buffer.from('\x1b'), Buffer.from('ktitle\x1b\\text')])).toBe('\x1b]2;title\x1b\\text')
  })
})
