import { expect, test } from 'vitest'
import { openToolbox } from '../../test/worlds/terminal-toolbox.ts'

interface Part {
  readonly started_at: string
  readonly duration_ms: number
  readonly snapshot?: string
  readonly size?: object
  readonly data: string
  readonly offset: number
  readonly next_offset: number
  readonly times: readonly { readonly at_ms: number; readonly offset: number; readonly size?: object }[]
  readonly ended?: boolean
}

/** Prints a screen at a time, each when the test presses Enter. */
const screens = 'stty -echo; for n in one two three; do printf "\\033[2J\\033[Hscreen $n"; read line; done; exec cat'

test('a recording can be read from any moment: first the screen of that moment, then the output after it', async () => {
  const box = await openToolbox(screens)
  const read = (args: object) => box.call<Part>('read_recording', { ...args })
  await box.call('wait_for', { for: 'text', value: 'screen one' })
  const { duration_ms: one } = await read({ max_bytes: 0 })
  for (const name of ['two', 'three']) {
    // Moments have a precision of one millisecond, so each screen needs a millisecond of its own.
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse((await read({})).started_at) + one)
    await box.call('send_text', { text: '\n' })
    await box.call('wait_for', { for: 'text', value: `screen ${name}` })
  }

  const whole = await read({ at_ms: 0 })
  expect(whole.times[0]).toMatchObject({ offset: whole.offset })
  expect(whole.times.map(({ at_ms }) => at_ms)).toEqual(whole.times.map(({ at_ms }) => at_ms).toSorted((a, b) => a - b))
  const then = await read({ at_ms: one })
  expect(then.snapshot).toContain('screen one')
  expect(then.snapshot).not.toContain('screen two')
  expect(then.size).toEqual({ cols: 80, rows: 24 })
  expect(then.data).toMatch(/screen two[^]*screen three/)

  const end = await read({ at_ms: whole.duration_ms })
  expect(end.snapshot).toContain('screen three')
  expect(end).toMatchObject({ data: '' })
  const later = await read({ since: then.offset, max_bytes: 10 })
  expect(later.snapshot).toBeUndefined()
  expect(later.next_offset).toBe(then.offset + 10)
  expect((await read({ at_ms: one, max_bytes: 0 })).next_offset).toBe(then.offset)
})

test('a resize has a time and a size, and the screen of a moment has its size', async () => {
  const box = await openToolbox('stty -echo; printf small; read line; printf large; read line')
  await box.call('wait_for', { for: 'text', value: 'small' })
  const { duration_ms: before } = await box.call<Part>('read_recording', { max_bytes: 0 })
  await box.call('resize', { cols: 100, rows: 30 })
  await box.until(() => box.terminal.size.cols === 100)
  await box.call('send_text', { text: '\n' })
  await box.call('wait_for', { for: 'text', value: 'large' })
  const all = await box.call<Part>('read_recording', { at_ms: 0, since: 0 })
  expect(all.times.flatMap(({ size }) => size ?? [])).toEqual([{ cols: 100, rows: 30 }])
  await box.call('send_text', { text: '\n' })
  await box.until(() => box.terminal.status.is === 'exited')
  const last = await box.call<Part>('read_recording', { at_ms: 1e9 })
  expect(last).toMatchObject({ ended: true, size: { cols: 100, rows: 30 } })
  expect(last.snapshot).toContain('large')
  expect(before).toBeLessThanOrEqual(last.duration_ms)
})

test('read_recording is refused while the recording module is off', async () => {
  const box = await openToolbox('exec cat')
  await box.call('toggle_module', { name: 'recording', enabled: false })
  expect(await box.failure('read_recording')).toContain('The recording module of this session is off')
})
