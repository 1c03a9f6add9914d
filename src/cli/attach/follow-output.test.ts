import { expect, test } from 'vitest'
import type { Snapshot, Output } from './session-output.ts'
import { createLatch } from './latch.ts'
import { followOutput } from './follow-output.ts'

const size = { cols: 80, rows: 24 }

function snapshot(parts: Partial<Snapshot> = {}): Snapshot {
  return { sequences: 'drawn', offset: 100, size, writer: 'me', ...parts }
}

function output(text: string, parts: Partial<Output> = {}): Output {
  const bytes = Buffer.from(text)
  return { bytes, nextOffset: 100 + bytes.length, dropped: 0, size, writer: 'me', hasEnded: false, ...parts }
}

const end = output('', { hasEnded: true })

/** Follows a session that gives these snapshots and outputs, and logs what the view gets. */
async function follow(snapshots: Snapshot[], outputs: (Output | Promise<Output>)[], isStale = (_: string) => false) {
  const log: string[] = []
  const redraw = createLatch()
  const done = followOutput(
    {
      readSnapshot: async () => snapshots.shift() ?? snapshot(),
      async readOutput(since) {
        log.push(`read ${since}`)
        return outputs.shift() ?? end
      },
      claim: async () => ({ granted: true, writer: 'me' }),
      type: async () => {},
      resize: async () => {},
      [Symbol.dispose]: () => {},
    },
    {
      view: {
        draw: (sequences) => void log.push(`draw ${sequences}`),
        show(bytes) {
          const text = Buffer.from(bytes).toString()
          if (text !== '') log.push(`show ${text}`)
          return { isStale: isStale(text) }
        },
        setNotice: () => {},
      },
      redraw,
      onWriter: (writer) => void log.push(`writer ${writer}`),
    },
  )
  return { log, redraw, done }
}

test('shows a snapshot first, then the output that follows it', async () => {
  const { log, done } = await follow([], [output('abc'), output('', { nextOffset: 103, hasEnded: true })])
  await done
  expect(log).toEqual(['writer me', 'draw drawn', 'read 100', 'show abc', 'read 103'])
})

test('takes the writer from a snapshot, since later output does not repeat it', async () => {
  const snapshots = [snapshot(), snapshot({ writer: 'she' })]
  const { log, done } = await follow(snapshots, [
    output('x', { writer: 'he' }),
    output('', { writer: 'she', hasEnded: true }),
  ])
  await done
  expect(log).toEqual(['writer me', 'draw drawn', 'read 100', 'show x', 'writer she', 'draw drawn', 'read 101'])
})

test.each([
  ['when output was dropped', output('x', { dropped: 5 })],
  ['when the size has changed', output('x', { size: { cols: 90, rows: 24 } })],
  ['when the view is stale', output('stale')],
])('redraws %s', async (_, cause) => {
  const snapshots = [snapshot(), snapshot({ sequences: 'second', offset: 200, size: cause.size })]
  const { log, done } = await follow(snapshots, [cause, { ...end, size: cause.size }], (text) => text === 'stale')
  await done
  expect(log.slice(-2)).toEqual(['draw second', 'read 200'])
})

test('does not repeat output when no snapshot could be taken', async () => {
  const { log, done } = await follow(
    [snapshot(), snapshot({ sequences: '', offset: 40 })],
    [output('stale'), end],
    Boolean,
  )
  await done
  expect(log.slice(-2)).toEqual(['draw ', 'read 105'])
})

test('redraws on request while the session prints nothing, even if the request came before the read', async () => {
  const silent = new Promise<Output>(() => {})
  const { log, redraw, done } = await follow([], [silent, end])
  redraw.set()
  await done
  expect(log.slice(-2)).toEqual(['draw drawn', 'read 100'])
})
