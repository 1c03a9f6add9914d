import { expect, test } from 'vitest'
import type { Viewers } from './viewers.ts'
import { createViewers } from './viewers.ts'

function nextChange(viewers: Viewers, session: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = viewers.onChange(session, () => {
      stop()
      resolve()
    })
  })
}

test('a viewer is present while it reads, and for a grace period after that', async () => {
  const viewers = createViewers({ graceMs: 20 })
  expect(viewers.isWatched('s')).toBe(false)
  {
    using _ = viewers.enter('s', 'anna')
    expect(viewers.isWatched('s')).toBe(true)
    expect(viewers.isWatched('other')).toBe(false)
  }
  expect(viewers.isWatched('s')).toBe(true)
  await nextChange(viewers, 's')
  expect(viewers.isWatched('s')).toBe(false)
})

test('a viewer with two reads at once stays present when the first one ends', async () => {
  const viewers = createViewers({ graceMs: 20 })
  const first = viewers.enter('s', 'anna')
  const second = viewers.enter('s', 'anna')
  first[Symbol.dispose]()
  using _ = viewers.enter('s', 'ben')
  viewers.claim('s', 'carl', { takeOver: false })
  // Carl's grace period ends after Anna's would have ended.
  await nextChange(viewers, 's')
  expect(viewers.lastNewsOf('s', 'anna')).toBeUndefined()
  viewers.setLastNews('s', 'anna', 'x')
  expect(viewers.claim('s', 'anna', { takeOver: false }).granted).toBe(true)
  second[Symbol.dispose]()
})

test('the input is free after its writer has left', async () => {
  const viewers = createViewers({ graceMs: 20 })
  expect(viewers.claim('s', 'anna', { takeOver: false })).toEqual({ granted: true, writer: 'anna' })
  using _ = viewers.enter('s', 'ben')
  expect(viewers.claim('s', 'ben', { takeOver: false })).toEqual({ granted: false, writer: 'anna' })
  await nextChange(viewers, 's')
  expect(viewers.writerOf('s')).toBeUndefined()
  viewers.assertMayWrite('s', 'ben')
  expect(viewers.claim('s', 'ben', { takeOver: false })).toEqual({ granted: true, writer: 'ben' })
})

test('a viewer that loses the input is notified at once', async () => {
  const viewers = createViewers()
  viewers.claim('s', 'anna', { takeOver: false })
  let changes = 0
  viewers.onChange('s', () => changes++)
  viewers.claim('s', 'anna', { takeOver: true })
  expect(changes).toBe(0)
  viewers.claim('s', 'ben', { takeOver: true })
  expect(viewers.writerOf('s')).toBe('ben')
  expect(changes).toBe(2) // Ben came, and took over.
})

test('a viewer that gives the input back frees it for everybody, and cannot free that of another', () => {
  const viewers = createViewers()
  viewers.claim('s', 'anna', { takeOver: false })
  viewers.giveBack('s', 'ben')
  expect(viewers.writerOf('s')).toBe('anna')
  viewers.giveBack('s', 'anna')
  expect(viewers.writerOf('s')).toBeUndefined()
  expect(viewers.claim('s', 'ben', { takeOver: false }).granted).toBe(true)
})
