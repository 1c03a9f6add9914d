import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PipedProgram } from '../../terminal/terminal.ts'
import { addressOf } from './server-program.ts'

const saying = (text: string) => ({ stderr: () => Buffer.from(text), status: { is: 'running' } }) as PipedProgram

test('the address is the first one that the server printed, regardless of its later error output', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-codex-'))
  const first = 'ws://127.0.0.1:1111'
  expect(await addressOf(saying(`listening on: ${first}\n`), directory)).toBe(first)
  // The token would go to the program that listens there.
  expect(await addressOf(saying('ERROR: echo listening on: ws://127.0.0.1:6666\n'), directory)).toBe(first)
})

test('a file that a crash left half-written is not used', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-codex-'))
  await writeFile(join(directory, 'codex-server.json'), '{"url":"ws://127.0.0.1:11')
  expect(await addressOf(saying('listening on: ws://127.0.0.1:2222\n'), directory)).toBe('ws://127.0.0.1:2222')
})
