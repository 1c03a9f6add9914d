import { EventEmitter } from 'node:events'
import { type Server, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limitUnauthenticatedSockets } from './unauthenticated-sockets.ts'

/** The limit for one address, and how long it may be exceeded. */
const most = 64
const graceMs = 500

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('closes the oldest silent sockets of an address when its grace period is over', async () => {
  const { connect } = world()
  const sockets = connect(most + 10)
  await vi.advanceTimersByTimeAsync(graceMs - 10)
  expect(closed(sockets)).toEqual([])
  await vi.advanceTimersByTimeAsync(20)
  expect(closed(sockets)).toEqual(sockets.slice(0, 10))
})

test('does not close a socket that showed its token within the grace period', async () => {
  const { connect, limit } = world()
  const [first, ...others] = connect(most + 10)
  await vi.advanceTimersByTimeAsync(graceMs - 10)
  limit.remove(first!)
  await vi.advanceTimersByTimeAsync(20)
  expect(closed([first!, ...others])).toEqual(others.slice(0, 9))
})

test('gives a socket its own grace period, also if the limit was exceeded before it came', async () => {
  const { connect } = world()
  for (const socket of connect(most + 10)) socket.destroy()
  await vi.advanceTimersByTimeAsync(graceMs - 10)
  const later = connect(most + 10)
  await vi.advanceTimersByTimeAsync(graceMs - 10)
  expect(closed(later)).toEqual([])
  await vi.advanceTimersByTimeAsync(graceMs)
  expect(closed(later)).toEqual(later.slice(0, 10))
})

function world() {
  const server = new EventEmitter()
  const limit = limitUnauthenticatedSockets(server as Server)
  function connect(count: number): readonly Socket[] {
    const sockets = Array.from({ length: count }, () => new Socket())
    for (const socket of sockets) server.emit('connection', socket)
    return sockets
  }
  return { connect, limit }
}

function closed(sockets: readonly Socket[]): readonly Socket[] {
  return sockets.filter(({ destroyed }) => destroyed)
}
