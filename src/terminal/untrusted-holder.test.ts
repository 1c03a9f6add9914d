/** Numbers that come over a holder's socket, or from the files of a holder, are bounded on both sides. */
import { appendFileSync, chmodSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectTo, hold, shellLine } from '../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { testTerminals, untilEnded } from '../../test/worlds/terminals.ts'
import { until } from '../../test/fixtures/until.ts'
import { maxSize } from '../base/terminal-size.ts'
import { connectToHolder } from './holder-connection.ts'
import { encodeFrame, encodeJson, frameKind } from './holder/frames.ts'
import { readHolderInfo } from './holder/holder-info.ts'
import { indexName, listSegments } from './journal/journal-files.ts'
import { readIndexes } from './journal/journal.ts'
import { readSnapshot } from './snapshots.ts'

const huge = { cols: 65_536, rows: 65_536 }

test('a holder makes its terminal no larger than the largest, and no later hub does', async () => {
  const held = await hold('cat')
  const connection = await connectTo(held)
  connection.resize(huge)
  await until(() => readIndexes(held.journal, { kinds: ['resize'] }).length > 0)
  expect(readIndexes(held.journal, { kinds: ['resize'] })).toMatchObject([maxSize])
  expect((await connectTo(held)).hello.size).toEqual(maxSize)
})

test('sizes in the journal of an earlier holder are bounded', async () => {
  const terminals = testTerminals()
  const first = await terminals.start('t', shellLine('echo here'))
  await untilEnded(first)
  first.release()
  const journal = join(first.directory, 'journal')
  const index = join(journal, indexName(listSegments(journal)[0]!))
  appendFileSync(index, `${JSON.stringify({ is: 'resize', at: 1, offset: 6, ...huge })}\n`)
  appendFileSync(index, `${JSON.stringify({ is: 'resize', at: 1, offset: 6, cols: 'many', rows: 1e99 })}\n`)
  writeFileSync(join(first.directory, 'screen.json'), JSON.stringify({ format: 3, offset: 0, size: huge, drawing: '' }))
  expect(readSnapshot(first.directory)).toBeUndefined()
  const second = await terminals.adopt('t')
  expect(second.screen.text()).toContain('here')
  expect(second.screen.size).toEqual(maxSize)
})

const hello = { protocol: 1, version: '1', pid: 1, childPid: 1, size: huge, firstOffset: 0, offset: 0, answered: 0 }

test('a hub bounds the size that a holder reports', async () => {
  const connection = await connectToHolder(await fakeHolder(encodeJson(frameKind.hello, hello)))
  expect(connection?.hello.size).toEqual(maxSize)
  connection?.close()
})

test.each([
  ['a size that is not a number', encodeJson(frameKind.resize, { cols: '80', rows: null })],
  ['an offset beyond all numbers', encodeFrame(frameKind.output, Buffer.alloc(9, 0xff))],
  ['an end without numbers', encodeJson(frameKind.exit, { offset: -1, code: 'none', signal: null })],
  ['a message of a megabyte', encodeJson(frameKind.fault, { message: 'x'.repeat(1_000_000) })],
  ['a frame of four gigabytes', Buffer.from([0xff, 0xff, 0xff, 0xff, 3])],
])('a hub ends its connection to a holder that sends %s', async (_, frame) => {
  const path = await fakeHolder(encodeJson(frameKind.hello, hello), frame)
  const connection = await connectToHolder(path)
  const heard: string[] = []
  const isClosed = new Promise<void>((resolve) =>
    connection?.listen({
      onOutput: () => heard.push('output'),
      onResize: () => heard.push('resize'),
      onExit: () => heard.push('exit'),
      onFault: () => heard.push('fault'),
      onClose: resolve,
    }),
  )
  connection?.attach(0)
  await isClosed
  expect(heard).toEqual([])
})

test('the information of a holder is ignored if no holder wrote it', () => {
  const directory = temporaryDirectory()
  const write = (info: object) => writeFileSync(join(directory, 'holder.json'), JSON.stringify(info))
  const info = { protocol: 1, version: '1', pid: 7, childPid: 8, socket: '/tmp/s' }
  write(info)
  expect(readHolderInfo(directory)).toEqual(info)
  for (const wrong of [{ ...info, pid: '7' }, { ...info, exit: { offset: 'all' } }, { ...info, socket: 5 }, []]) {
    write(wrong)
    expect(readHolderInfo(directory)).toBeUndefined()
  }
})

/** `answer`: to the first frame of the hub. */
async function fakeHolder(greeting: Buffer, answer?: Buffer): Promise<string> {
  const path = join(temporaryDirectory(), 's.sock')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(greeting)
    socket.once('data', () => void (answer && socket.write(answer)))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(path), 'listening')
  chmodSync(path, 0o600)
  return path
}
