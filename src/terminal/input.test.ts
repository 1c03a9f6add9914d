/** Input arrives complete and in order, and uses a limited amount of memory. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellLine } from '../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { testTerminals, untilEnded, untilShown } from '../../test/worlds/terminals.ts'
import { until } from '../../test/fixtures/until.ts'
import { encodePaste } from './terminal.ts'

const lines = Array.from(
  { length: 10_000 },
  (_, index) => `line ${index}: Enter -n C-c \t é漢😀 ${'x'.repeat(index % 97)}`,
)
const text = `${lines.join('\n')}\n`

test.each([
  ['raw', 'stty raw -echo', '\r'],
  ['cooked', 'stty -echo', '\n'],
])('ten thousand pasted lines arrive complete at a program in %s mode', async (_, mode, lineEnd) => {
  const file = join(temporaryDirectory(), 'pasted')
  const expected = text.replaceAll('\n', lineEnd)
  const program = shellLine(`${mode}; echo ready; head -c ${Buffer.byteLength(expected)} > ${file}; echo taken`)
  const terminal = await testTerminals().start('t', program)
  await untilShown(terminal, 'ready')
  terminal.write(encodePaste(text, terminal.screen.modes))
  await untilEnded(terminal)
  expect(readFileSync(file, 'utf8')).toBe(expected)
})

test('input for a program that does not read is limited, and the program can still be ended', async () => {
  const terminal = await testTerminals().start('t', shellLine('stty raw -echo; echo ready; sleep 1000'))
  await untilShown(terminal, 'ready')
  const megabyte = Buffer.alloc(1024 * 1024, 'x')
  expect(() => {
    for (let count = 0; count < 100; count++) terminal.write(megabyte)
  }).toThrow(expect.objectContaining({ code: 'busy', message: expect.stringContaining('has not read') }))
  expect(() => terminal.write(Buffer.alloc(100 * 1024 * 1024))).toThrow(expect.objectContaining({ code: 'too-large' }))
  const { status } = terminal
  await until(() => status.is === 'running' && residentBytes(status.holderPid) > 0)
  if (status.is === 'running') expect(residentBytes(status.holderPid)).toBeLessThan(200 * 1024 * 1024)
  terminal.signal('SIGKILL')
  expect(await untilEnded(terminal)).toMatchObject({ signal: 'SIGKILL' })
})

test('a program that prints all its input neither blocks nor loses output', async () => {
  const program = shellLine(`stty raw -echo; echo ready; head -c ${Buffer.byteLength(text)}; echo done`)
  const terminal = await testTerminals().start('t', program)
  await untilShown(terminal, 'ready')
  terminal.write(Buffer.from(text))
  await untilEnded(terminal)
  const { bytes } = terminal.readOutput(0, 10_000_000)
  expect(bytes.toString()).toBe(`ready\n${text}done\n`)
})

test('input is accepted again once the program reads', async () => {
  const go = join(temporaryDirectory(), 'go')
  const command = `stty raw -echo; echo ready; until test -e ${go}; do sleep 0.05; done; cat > /dev/null`
  const terminal = await testTerminals().start('t', shellLine(command))
  await untilShown(terminal, 'ready')
  const half = Buffer.alloc(4 * 1024 * 1024, 'x')
  terminal.write(half)
  terminal.write(half)
  expect(() => terminal.write(half)).toThrow('has not read')
  writeFileSync(go, '')
  await until(() => isTaken(() => terminal.write(half)))
})

function isTaken(write: () => void): boolean {
  try {
    write()
    return true
  } catch {
    return false
  }
}

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}
