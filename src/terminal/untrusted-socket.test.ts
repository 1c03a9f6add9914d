/** Input must reach the holder, and never a program that put its own socket in the place of the holder's. */
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { endProgram, shellLine } from '../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { testTerminals } from '../../test/worlds/terminals.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65534

describe.each([
  ['belongs to another user', (path: string) => chownSync(path, nobody, nobody), isRoot, /belongs to user 65534/],
  ['is open to others', (path: string) => chmodSync(path, 0o777), true, /has mode 0777/],
])('when the path %s', (_, spoil, isPossible, message) => {
  test.runIf(isPossible)('the hub connects to no holder in such a socket directory', async () => {
    const { terminals, socket, run } = await startAndLose()
    const fake = await fakeHolder(socket)
    spoil(run)
    await expect(terminals.open().adopt('t')).rejects.toThrow(message)
    expect(fake.connections).toBe(0)
  })

  test.runIf(isPossible)('the hub does not connect to such a socket', async () => {
    const { terminals, socket } = await startAndLose()
    const fake = await fakeHolder(socket)
    spoil(socket)
    await expect(terminals.open().adopt('t')).rejects.toThrow(message)
    expect(fake.connections).toBe(0)
  })
})

describe('a new terminal', () => {
  test.runIf(isRoot)('is not started if the socket directory belongs to another user', async () => {
    const terminals = testTerminals()
    const run = join(terminals.directory, 'run')
    mkdirSync(run, { mode: 0o777 })
    chownSync(run, nobody, nobody)
    await expect(terminals.start('t', shellLine('read line'))).rejects.toThrow(/no safe place for its socket.*65534/)
  })

  test('is not started if the socket directory is a link', async () => {
    const terminals = testTerminals()
    symlinkSync(temporaryDirectory(), join(terminals.directory, 'run'))
    await expect(terminals.start('t', shellLine('read line'))).rejects.toThrow('is not a directory')
  })
})

/** A terminal whose holder was killed, so that another socket can take its path. */
async function startAndLose() {
  const terminals = testTerminals()
  const { status } = await terminals.start('t', shellLine('read line'))
  if (status.is !== 'running') throw new Error('the program has ended')
  process.kill(status.holderPid, 'SIGKILL')
  endProgram(status.pid)
  const run = join(terminals.directory, 'run')
  return { terminals, run, socket: join(run, 't.sock') }
}

async function fakeHolder(path: string): Promise<{ readonly connections: number }> {
  const seen = { connections: 0 }
  rmSync(path, { force: true })
  const server: Server = createServer((socket) => {
    seen.connections++
    socket.destroy()
  })
  onTestFinished(() => void server.close())
  await once(server.listen(path), 'listening')
  chmodSync(path, 0o600)
  return seen
}
