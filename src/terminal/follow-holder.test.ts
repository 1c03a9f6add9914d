import { renameSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { HeldProgram } from '../../test/worlds/held-program.ts'
import { connectTo, hold, readAll, untilExit } from '../../test/worlds/held-program.ts'
import { until } from '../../test/fixtures/until.ts'
import type { HolderFollower } from './follow-holder.ts'
import { followHolder } from './follow-holder.ts'

async function follow(held: HeldProgram) {
  const received: Buffer[] = []
  const faults: (string | undefined)[] = []
  let isEnded = false
  const text = () => Buffer.concat(received).toString()
  const follower: HolderFollower = followHolder({
    ...held,
    connection: await connectTo(held),
    listeners: {
      offset: () => Buffer.concat(received).length,
      onOutput: (_, bytes) => void received.push(Buffer.from(bytes)),
      onResize: () => {},
      onFault: (message) => void faults.push(message),
      onEnd: () => (isEnded = true),
    },
  })
  follower.attach()
  return { follower, text, faults, isEnded: () => isEnded }
}

test('a broken connection is restored, and no byte is lost or repeated', async () => {
  const held = await hold('stty -echo; while read line; do seq 1 1000; echo "<$line>"; done')
  const { follower, text, isEnded } = await follow(held)
  for (const word of ['one', 'two', 'three']) {
    const { connection } = follower
    follower.requireConnection().write(Buffer.from(`${word}\r`))
    connection!.close()
    await until(() => follower.connection !== connection && follower.connection !== undefined)
    await until(() => text().includes(`<${word}>`))
  }
  expect(text()).toBe(readAll(held.journal).toString())
  expect(follower.status.is).toBe('running')
  expect(isEnded()).toBe(false)
})

test('a connection that keeps breaking is given up, and the holder is left alone', async () => {
  const held = await hold('read line')
  const { follower, isEnded } = await follow(held)
  await until(() => {
    follower.connection?.close()
    return isEnded()
  })
  expect(follower.status).toEqual({ is: 'lost' })
  expect((await connectTo(held)).hello.childPid).toBe(held.info.childPid)
})

test('a living holder that cannot be reached is reported, and not given up', async () => {
  const held = await hold('read line; echo "<$line>"; read line')
  const { follower, text, faults, isEnded } = await follow(held)
  const moved = `${held.socket}.moved`
  renameSync(held.socket, moved)
  // A link means neither "no such file" nor "connection refused".
  symlinkSync(held.socket, held.socket)
  follower.connection!.close()
  await until(() => faults.length > 0)
  expect(faults[0]).toMatch(/cannot reach its holder now: .* is not a socket\. /)
  expect(follower.status.is).toBe('running')
  expect(() => follower.requireConnection()).toThrow('is being restored')

  renameSync(moved, held.socket)
  await until(() => follower.connection)
  expect(faults.at(-1)).toBeUndefined()
  follower.requireConnection().write(Buffer.from('still here\r'))
  await until(() => text().includes('<still here>'))
  expect(isEnded()).toBe(false)
})

test('an exit that the holder could not send is read from holder.json', async () => {
  const held = await hold('read line; exit 5')
  const { follower, isEnded } = await follow(held)
  follower.requireConnection().write(Buffer.from('\r'))
  await untilExit(held)
  follower.connection?.close()
  await until(isEnded)
  expect(follower.status).toMatchObject({ is: 'exited', code: 5 })
})
