/** A holder outlives the package that started it, and hubs with another protocol. */
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectTo, endProgram, follow, readAll, shellLine, untilExit } from '../../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { shownOn, testTerminals, untilShown } from '../../../test/worlds/terminals.ts'
import { until } from '../../../test/fixtures/until.ts'
import { listenPrivately } from '../../base/private-socket.ts'
import { listSegments } from '../journal/journal-files.ts'
import type { Frame, Hello } from './frames.ts'
import { createFrameReader, encodeAt, encodeJson, frameKind, protocolVersion } from './frames.ts'

const root = resolve(import.meta.dirname, '../../..')

test('a holder whose package was deleted still types, resizes, accepts viewers, starts segments and ends', async () => {
  const installed = temporaryDirectory()
  cpSync(join(root, 'src'), join(installed, 'src'), { recursive: true })
  cpSync(join(root, 'package.json'), join(installed, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'))
  const { startHolder } = (await import(
    join(installed, 'src/terminal/start-holder.ts')
  )) as typeof import('../start-holder.ts')

  const directory = temporaryDirectory()
  const socket = join(directory, 's.sock')
  const program = shellLine('while read line; do stty size; seq 1 3000; echo "<$line>"; done; exit 6')
  const journal = { segmentBytes: 4096, maxBytes: 1024 * 1024 }
  const info = await startHolder({ version: 'old', socket, directory, journal, program })
  onTestFinished(() => endProgram(info.childPid))
  rmSync(installed, { recursive: true })

  const held = { directory, journal: join(directory, 'journal'), socket, info }
  const first = await connectTo(held)
  first.write(Buffer.from('one\r'))
  await until(() => readAll(held.journal).includes('<one>'))
  first.resize({ cols: 101, rows: 33 })
  const followed = follow(await connectTo(held))
  first.write(Buffer.from('two\r\x04'))
  const { bytes, exit } = await followed
  expect(bytes.toString()).toContain('33 101')
  expect(bytes.toString()).toContain('<two>')
  expect(exit).toMatchObject({ code: 6 })
  expect(await untilExit(held)).toMatchObject({ code: 6 })
  expect(bytes.equals(readAll(held.journal))).toBe(true)
  expect(listSegments(held.journal).length).toBeGreaterThan(3)
})

test.each([
  ['an older', protocolVersion - 1, '0.0.1'],
  ['a newer', protocolVersion + 1, '99.0.0'],
])('a holder with %s protocol is shown, gets no commands, and is not ended', async (_, protocol, version) => {
  const { terminals, received } = await takeOver(protocol, version)
  const terminal = await terminals.open().adopt('t')
  onTestFinished(() => terminal?.release())
  expect(shownOn(terminal!)).toBe('from before')
  await untilShown(terminal!, 'and live')
  expect(terminal!.status).toMatchObject({ is: 'running', tooOld: expect.stringContaining(version) })
  expect(terminal!.fault).toContain(`speaks protocol ${protocol}`)
  for (const act of [
    () => terminal!.write(Buffer.from('x')),
    () => terminal!.resize({ cols: 10, rows: 10 }),
    () => terminal!.signal('SIGTERM'),
  ]) {
    expect(act).toThrow(expect.objectContaining({ code: 'unavailable', message: expect.stringContaining(version) }))
  }
  expect(received.map(({ kind }) => kind)).toEqual([frameKind.attach])
})

/** A terminal of a real holder whose socket is then taken over by a fake holder of another version. */
async function takeOver(protocol: number, version: string) {
  const terminals = testTerminals()
  const real = await terminals.start('t', shellLine('echo from before; read line'))
  await untilShown(real, 'from before')
  real.release()
  const socket = join(terminals.directory, 'run', 'other.sock')
  const received: Frame[] = []
  const server = createServer((connection) => {
    const pid = process.pid
    const size = { cols: 80, rows: 24 }
    const hello: Hello = { protocol, version, pid, childPid: pid, size, firstOffset: 0, offset: 13, answered: 13 }
    connection.write(encodeJson(frameKind.hello, hello))
    connection.write(encodeAt(200, 0, Buffer.from('of another age')))
    const read = createFrameReader((frame) => {
      received.push(frame)
      if (frame.kind !== frameKind.attach) return
      connection.write(encodeAt(frameKind.output, 13, Buffer.from('and live\x1b[6n\r\n')))
    })
    connection.on('data', read)
  })
  await listenPrivately(server, socket)
  onTestFinished(() => void server.close())
  const info = { protocol, version, pid: process.pid, childPid: process.pid, socket }
  writeFileSync(join(real.directory, 'holder.json'), JSON.stringify(info))
  return { terminals, received }
}
