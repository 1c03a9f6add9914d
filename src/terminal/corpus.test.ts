/**
 * Programs that fill the screen, recorded: each shows what a plain emulator shows of the same bytes, live, to a hub that
 * comes up in the middle, and to one that comes up at the end.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Picture } from '../../test/fixtures/reference-screens.ts'
import { testTerminals } from '../../test/fixtures/terminals.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Terminal } from './terminal.ts'

const fromTest = (path: string) => fileURLToPath(new URL(`../../test/${path}`, import.meta.url))
const recordings = [
  'bash',
  'less',
  'vim',
  'htop',
  'tmux',
  ...['claude', 'codex', 'gemini', 'opencode'].map((name) => `agents/${name}`),
]
const size = { cols: 80, rows: 24 }

test.each(recordings)('%s', { timeout: 60_000 }, async (name) => {
  const terminals = testTerminals()
  const whole = readFileSync(fromTest(`recordings/${name}.raw`))
  const middle = whole.subarray(0, Math.floor(whole.length / 2))
  const files = { whole: join(terminals.directory, 'whole'), middle: join(terminals.directory, 'middle') }
  writeFileSync(files.whole, whole)
  writeFileSync(files.middle, middle)
  const expected = drawReference([files.middle, files.whole])

  const go = join(terminals.directory, 'go')
  const script = `stty raw -echo; cat ${files.middle}; while [ ! -e ${go} ]; do sleep 0.02; done; tail -c +${middle.length + 1} ${files.whole}; exec sleep 1000`
  const env = { PATH: '/usr/bin:/bin' }
  const live = await terminals.start('played', { file: '/bin/sh', args: ['-c', script], cwd: '/', env, ...size })
  expect(await read(live, middle.length)).toEqual(expected[0])

  const later = await terminals.adopt('played')
  expect(await read(later, middle.length)).toEqual(expected[0])
  writeFileSync(go, '')
  for (const terminal of [live, later, await terminals.adopt('played')]) {
    expect(await read(terminal, whole.length)).toEqual(expected[1])
  }
})

interface Shown {
  readonly lines: readonly string[]
  readonly cursor: { readonly row: number; readonly col: number }
  readonly scrollback: readonly string[]
}

async function read(terminal: Terminal, offset: number): Promise<Shown> {
  await until(() => terminal.offset === offset)
  const { screen } = terminal
  await screen.settled()
  const { row, column } = screen.cursor()
  return {
    lines: screen.rows().map(({ text }) => text.trimEnd()),
    cursor: { row, col: column },
    scrollback: screen.scrollback().map(({ text }) => text.trimEnd()),
  }
}

/** In a process of its own, which knows nothing of ours. */
function drawReference(files: readonly string[]): readonly Shown[] {
  const input = JSON.stringify(files.map((file) => ({ file, ...size })))
  const { stdout } = spawnSync(process.execPath, [fromTest('fixtures/reference-screens.ts')], {
    input,
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  const pictures = JSON.parse(stdout) as readonly Picture[]
  return pictures.map(({ lines, cursor, scrollback }) => ({ lines: lines.map(({ text }) => text), cursor, scrollback }))
}
