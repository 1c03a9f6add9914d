import { expect, test } from 'vitest'
import type { Drawing, Output } from '../session-output.ts'
import { createBell } from './bell.ts'
import { followVisit } from './follow-visit.ts'

const size = { cols: 80, rows: 24 }

function drawing(parts: Partial<Drawing> = {}): Drawing {
  return { sequences: 'drawn', offset: 100, size, writer: 'me', ...parts }
}

function output(text: string, parts: Partial<Output> = {}): Output {
  const bytes = Buffer.from(text)
  return { bytes, nextOffset: 100 + bytes.length, dropped: 0, size, writer: 'me', hasEnded: false, ...parts }
}

const end = output('', { hasEnded: true })

/** Follows a session that answers so, and tells what came of it. */
async function follow(drawings: Drawing[], outputs: (Output | Promise<Output>)[], isStale = (_: string) => false) {
  const log: string[] = []
  const redraw = createBell()
  const done = followVisit(
    {
      draw: async () => drawings.shift() ?? drawing(),
      async read(since) {
        log.push(`read ${since}`)
        return outputs.shift() ?? end
      },
      claim: async () => ({ granted: true, writer: 'me' }),
      type: async () => {},
      resize: async () => {},
      [Symbol.asyncDispose]: async () => {},
    },
    {
      view: {
        draw: (sequences) => void log.push(`draw ${sequences}`),
        show(bytes) {
          const text = Buffer.from(bytes).toString()
          if (text !== '') log.push(`show ${text}`)
          return { isStale: isStale(text) }
        },
        tell: () => {},
      },
      redraw,
      onWriter: (writer) => void log.push(`writer ${writer}`),
    },
  )
  return { log, redraw, done }
}

test('a drawing comes first, then output from where it ends', async () => {
  const { log, done } = await follow([], [output('abc'), output('', { nextOffset: 103, hasEnded: true })])
  await done
  expect(log).toEqual(['writer me', 'draw drawn', 'read 100', 'show abc', 'read 103'])
})

test('what a drawing says of who types is not missed, since no output says it again', async () => {
  const drawings = [drawing(), drawing({ writer: 'she' })]
  const { log, done } = await follow(drawings, [
    output('x', { writer: 'he' }),
    output('', { writer: 'she', hasEnded: true }),
  ])
  await done
  expect(log).toEqual(['writer me', 'draw drawn', 'read 100', 'show x', 'writer she', 'draw drawn', 'read 101'])
})

test.each([
  ['output was dropped', output('x', { dropped: 5 })],
  ['the size has changed', output('x', { size: { cols: 90, rows: 24 } })],
  ['the view asks for it', output('stale')],
])('it is drawn anew when %s', async (_, cause) => {
  const drawings = [drawing(), drawing({ sequences: 'anew', offset: 200, size: cause.size })]
  const { log, done } = await follow(drawings, [cause, { ...end, size: cause.size }], (text) => text === 'stale')
  await done
  expect(log.slice(-2)).toEqual(['draw anew', 'read 200'])
})

test('what could not be drawn is not played again', async () => {
  const { log, done } = await follow(
    [drawing(), drawing({ sequences: '', offset: 40 })],
    [output('stale'), end],
    Boolean,
  )
  await done
  expect(log.slice(-2)).toEqual(['draw ', 'read 105'])
})

test('a bell draws it anew while nothing is printed, also one that rang while nobody listened', async () => {
  const silent = new Promise<Output>(() => {})
  const { log, redraw, done } = await follow([], [silent, end])
  redraw.ring()
  await done
  expect(log.slice(-2)).toEqual(['draw drawn', 'read 100'])
})
