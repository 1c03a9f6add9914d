import { expect, test } from 'vitest'
import { screenWith } from '../../../test/fixtures/screen-with.ts'
import { endWorthDrawing } from './left-out.ts'

const plain = 0.00006
const expensive = 0.03
const megabyte = 1024 * 1024

test('a backlog that is drawn soon is drawn as a whole', () => {
  expect(endWorthDrawing({ offset: 0, end: 10 * megabyte, msPerByte: plain, screens: 1 })).toBeUndefined()
  expect(endWorthDrawing({ offset: 0, end: 30_000, msPerByte: expensive, screens: 1 })).toBeUndefined()
})

test('of a longer backlog, as much of the end is drawn as takes a quarter of a second', () => {
  const end = 200 * megabyte
  expect(endWorthDrawing({ offset: 0, end, msPerByte: plain, screens: 1 })).toBe(end - megabyte)
  expect(endWorthDrawing({ offset: 0, end, msPerByte: expensive, screens: 1 })).toBe(end - 8_333)
})

test('screens that are drawn at the same time share the time', () => {
  const end = 10 * megabyte
  expect(endWorthDrawing({ offset: 0, end, msPerByte: plain, screens: 10 })).toBe(end - 416_666)
  expect(endWorthDrawing({ offset: 0, end, msPerByte: expensive, screens: 100 })).toBe(end - 4_096)
})

test('a screen says where output was left out, and keeps the modes that last', async () => {
  const screen = await screenWith('\x1b[6Hbefore\x1b[?2004h\x1b[2;3r\x1b(0\x1b[4h\x1b[31m', {
    size: { cols: 90, rows: 6 },
  })
  await screen.leaveOutTo(1_000_000)
  await screen.feed(Buffer.from('after'))
  expect(screen.offset).toBe(1_000_005)
  expect(screen.text()).toMatch(
    /before\n+\[Output was left out here: it came faster than it can be drawn\. .*\]\nafter$/,
  )
  expect(screen.modes.bracketedPaste).toBe(true)
  expect(screen.cell(screen.cursor().row, 0).style.foreground).toBe('default')
  expect(screen.hasOlderLines).toBe(true)
})

test('an alternate screen is cleared where output was left out', async () => {
  const screen = await screenWith('normal\x1b[?1049hbefore')
  await screen.leaveOutTo(1_000_000)
  await screen.feed(Buffer.from('after'))
  expect(screen.text()).toBe('after')
  await screen.feed(Buffer.from('\x1b[?1049l'))
  expect(screen.text()).toBe('normal')
})

test('output that waits is left out, and what was asked of the screen meanwhile is still done', async () => {
  const screen = await screenWith('')
  const flood = Buffer.from('\x1bc'.repeat(100_000))
  const fed = screen.feed(flood)
  screen.resize({ cols: 30, rows: 5 })
  const settled = screen.settled()
  await screen.leaveOutTo(200_000)
  await Promise.all([fed, settled])
  expect(screen.size).toEqual({ cols: 30, rows: 5 })
  expect(screen.offset).toBe(200_000)
})
