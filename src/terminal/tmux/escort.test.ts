import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { createEscortReader, escort } from './escort.ts'

const mark = 'a-mark'

/** What the reader tells of these chunks. */
function told(chunks: readonly Buffer[], { isFlushed = false } = {}): string {
  const heard: string[] = []
  const reader = createEscortReader(mark, {
    onOutput: (bytes) => heard.push(bytes.toString('latin1')),
    onBegan: (pid) => heard.push(`[began ${pid}]`),
    onEnded: ({ code, signal }) => heard.push(`[ended ${code} ${signal}]`),
  })
  for (const chunk of chunks) reader.read(chunk)
  if (isFlushed) reader.flush()
  return heard.join('')
}

function run(line: string): Buffer {
  const [file = '', ...args] = escort({ file: '/bin/sh', args: ['-c', line], dropped: ['DROPPED', 'not a name'], mark })
  // The escort stays for a while; nobody has to wait for it here.
  const script = args.map((arg) => arg.replace('sleep 5', ':'))
  const env = { PATH: '/usr/bin:/bin', DROPPED: 'x', KEPT: 'y' }
  // Both outputs in one, as in a terminal.
  const { stdout } = spawnSync('/bin/sh', ['-c', '"$@" 2>&1', 'sh', file, ...script], { env })
  return stdout
}

describe('an escort', () => {
  test.each([
    ['exit 0', '[ended 0 null]'],
    ['exit 7', '[ended 7 null]'],
    ['exit 255', '[ended 255 null]'],
    ['kill -TERM $$', '[ended null 15]'],
    ['kill -KILL $$', '[ended null 9]'],
  ])('tells how the program ended: %s', (line, end) => {
    expect(told([run(`echo out; ${line}`)])).toMatch(/^\[began \d+\]out\n\[ended/)
    expect(told([run(line)])).toContain(end)
  })

  test('tells the process of the program itself', () => {
    const [, began, own] = /\[began (\d+)\](\d+)\n/.exec(told([run('echo $$')])) ?? []
    expect(began).toBeDefined()
    expect(own).toBe(began)
  })

  test('leaves what the program says on its error output where it was', () => {
    expect(told([run('echo heard >&2')])).toContain('heard\n')
  })

  test('drops the variables it was told to, and no others', () => {
    expect(told([run('echo "${DROPPED-none} $KEPT"')])).toContain('none y\n')
  })
})

describe('the reader', () => {
  const stream = Buffer.from(
    `\x1b]7420;${mark};began;42\x1b\\a\x1b]7420;other;ended;1\x1b\\b\x1b]0;t\x07\x1b]7420;${mark};ended;3\x1b\\late`,
  )
  const expected = '[began 42]a\x1b]7420;other;ended;1\x1b\\b\x1b]0;t\x07[ended 3 null]'

  test('takes the marks out, wherever the stream is cut, and nothing but its own', () => {
    expect(told([stream])).toBe(expected)
    for (let at = 1; at < stream.length; at++) {
      expect(told([stream.subarray(0, at), stream.subarray(at)])).toBe(expected)
    }
    expect(told(Array.from(stream, (byte) => Buffer.of(byte)))).toBe(expected)
  })

  test('keeps nothing back for longer than it must', () => {
    expect(told([Buffer.from('prompt> ')])).toBe('prompt> ')
    expect(told([Buffer.from('x\x1b')])).toBe('x')
    expect(told([Buffer.from('x\x1b'), Buffer.from('[m')])).toBe('x\x1b[m')
    expect(told([Buffer.from('x\x1b]7420;a-')], { isFlushed: true })).toBe('x\x1b]7420;a-')
  })

  test('gives every byte as it came, but a title in the way of tmux as other terminals know it', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
    expect(told([all])).toBe(all.toString('latin1'))
    expect(told([Buffer.from('\x1bkti'), Buffer.from('tle\x1b\\text')])).toBe('\x1b]2;title\x1b\\text')
    expect(told([Buffer.from('\x1b'), Buffer.from('ktitle\x1b\\text')])).toBe('\x1b]2;title\x1b\\text')
  })
})
