/** A recording is valid asciicast v3 (https://docs.asciinema.org/manual/asciicast/v3/) and replays to the same screen. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { drawReferences } from '../fixtures/draw-references.ts'
import { start, startSessionHub } from '../worlds/session-hub.ts'

const theme = z.strictObject({
  fg: z.string().regex(/^#[\da-f]{6}$/i),
  bg: z.string().regex(/^#[\da-f]{6}$/i),
  palette: z.string().regex(/^#[\da-f]{6}(:#[\da-f]{6}){7}((:#[\da-f]{6}){8})?$/i),
})
const header = z.strictObject({
  version: z.literal(3),
  term: z.strictObject({
    cols: z.int().min(1).max(65_535),
    rows: z.int().min(1).max(65_535),
    type: z.string().optional(),
    version: z.string().optional(),
    theme: theme.optional(),
  }),
  timestamp: z.int().min(0).optional(),
  idle_time_limit: z.number().min(0).optional(),
  command: z.string().optional(),
  title: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  tags: z.array(z.string()).optional(),
})
const interval = z.number().min(0)
const event = z.union([
  z.tuple([interval, z.enum(['o', 'i', 'm']), z.string()]),
  z.tuple([interval, z.literal('r'), z.string().regex(/^[1-9]\d*x[1-9]\d*$/)]),
  z.tuple([interval, z.literal('x'), z.string().regex(/^\d+$/)]),
])

test.each(['vim', 'htop', 'agents/claude'])(
  'the recording of %s is valid and replays to the same screen',
  async (program) => {
    const printed = fileURLToPath(new URL(`../recordings/${program}.raw`, import.meta.url))
    await using hub = await startSessionHub()
    // A file and not a key ends the program, because the answers of the emulator are typed too.
    const go = join(hub.home, 'go')
    const command = `stty raw -echo; cat '${printed}'; until [ -e '${go}' ]; do sleep 0.02; done; exit 3`
    await start(hub, 'played', command, { size: { cols: 80, rows: 24 } })
    await expect
      .poll(async () => (await hub.call('read_screen', { session: 'played' }))['offset'])
      .toBe(readFileSync(printed).length)
    await hub.call('resize', { session: 'played', cols: 100, rows: 30 })
    writeFileSync(go, '')
    await hub.call('wait_session', { name: 'played', for: 'exit' })
    const { path } = await hub.call('export_recording', { name: 'played' })

    const [head = '', ...lines] = readFileSync(String(path), 'utf8').split('\n')
    expect(lines.pop()).toBe('')
    expect(header.parse(JSON.parse(head)).term).toMatchObject({ cols: 80, rows: 24 })
    const events = lines.map((line) => event.parse(JSON.parse(line)))
    expect(events.slice(-2).map(([, code, data]) => [code, data])).toEqual([
      ['r', '100x30'],
      ['x', '3'],
    ])
    const replayed = join(hub.home, 'replayed')
    writeFileSync(replayed, events.flatMap(([, code, data]) => (code === 'o' ? [data] : [])).join(''))
    const size = { cols: 80, rows: 24 }
    const [shown, recorded] = await drawReferences([printed, replayed].map((file) => ({ file, ...size })))
    expect(recorded).toEqual(shown)
  },
)
