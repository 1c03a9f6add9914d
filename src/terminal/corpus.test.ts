/**
 * Recordings of full-screen programs: the screen must equal that of a plain emulator in every cell, for the hub that
 * runs the program, for a hub that adopts it meanwhile, and for a hub that adopts it later.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drawReferences, inWords } from '../../test/fixtures/draw-references.ts'
import type { Cell as ReferenceCell, Picture } from '../../test/fixtures/reference-screens.ts'
import { testTerminals } from '../../test/worlds/terminals.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Terminal } from './live-terminal.ts'
import type { Cell } from './screen/screen-rows.ts'

const recordings = [
  'bash',
  'less',
  'vim',
  'htop',
  'tmux',
  ...['claude', 'codex', 'gemini', 'opencode'].map((name) => `agents/${name}`),
]
const size = { cols: 80, rows: 24 }

test.each(recordings)('draws every cell of the %s recording like a plain emulator', async (name) => {
  const terminals = testTerminals()
  const whole = readFileSync(new URL(`../../test/recordings/${name}.raw`, import.meta.url))
  const middle = whole.subarray(0, Math.floor(whole.length / 2))
  const files = { whole: join(terminals.directory, 'whole'), middle: join(terminals.directory, 'middle') }
  writeFileSync(files.whole, whole)
  writeFileSync(files.middle, middle)
  const references = await drawReferences([files.middle, files.whole].map((file) => ({ file, ...size })))
  const [expectedMiddle, expectedWhole] = references.map(described)

  const go = join(terminals.directory, 'go')
  const script = `stty raw -echo; cat ${files.middle}; while [ ! -e ${go} ]; do sleep 0.02; done; tail -c +${middle.length + 1} ${files.whole}; exec sleep 1000`
  const env = { PATH: '/usr/bin:/bin' }
  const live = await terminals.start('played', { file: '/bin/sh', args: ['-c', script], cwd: '/', env, ...size })
  expect(await read(live, middle.length)).toEqual(expectedMiddle)

  const beside = await terminals.adopt('played')
  expect(await read(beside, middle.length)).toEqual(expectedMiddle)
  live.release()
  beside.release()

  const next = await terminals.adopt('played')
  expect(await read(next, middle.length)).toEqual(expectedMiddle)
  writeFileSync(go, '')
  expect(await read(next, whole.length)).toEqual(expectedWhole)
  next.release()
  expect(await read(await terminals.adopt('played'), whole.length)).toEqual(expectedWhole)
})

type Described = Pick<Picture, 'cursor' | 'scrollback'> & { readonly lines: readonly (readonly string[])[] }

function described({ lines, cursor, scrollback }: Picture): Described {
  return { lines: lines.map(inWords), cursor, scrollback }
}

async function read(terminal: Terminal, offset: number): Promise<Described> {
  await until(() => terminal.offset === offset)
  const { screen } = terminal
  await screen.settled()
  const { row, column } = screen.cursor()
  const cellsOf = (line: number) => Array.from({ length: size.cols }, (_, at) => inReference(screen.cell(line, at)))
  return described({
    lines: screen.rows().map(({ text }, line) => ({ text: text.trimEnd(), cells: cellsOf(line) })),
    cursor: { row, col: column },
    scrollback: screen.scrollback().map(({ text }) => text.trimEnd()),
    bytes: offset,
  })
}

/** The plain emulator underlines links. */
function inReference({ character, style }: Cell): ReferenceCell {
  const { foreground, background, bold, italic, reverse, link } = style
  const underline = style.underline || link !== undefined
  return { char: character, fg: foreground, bg: background, bold, italic, underline, reverse }
}
