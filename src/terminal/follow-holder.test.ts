import { renameSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { HeldProgram } from '../../test/fixtures/held-program.ts'
import { connectTo, hold, readAll, untilExit } from '../../test/fixtures/held-program.ts'
import { until } from '../../test/fixtures/until.ts'
import type { HolderFollower } from './follow-holder.ts'
import { followHolder } from './follow-holder.ts'

async function followed(held: HeldProgram) {
  const heard: Buffer[] = []
  const faults: (string | undefined)[] = []
  let isEnded = false
  const text = () => Buffer.concat(heard).toString()
  const follower: HolderFollower = followHolder({
    ...held,
    connection: await connectTo(held),
    listeners: {
      offset: () => Buffer.concat(heard).length,
      onOutput: (_, bytes) => void heard.push(Buffer.from(bytes)),
      onResize: () => {},
      onFault: (message) => void faults.push(message),
      onEnd: () => (isEnded = true),
    },
  })
  follower.attach()
  return { follower, text, faults, isEnded: () => isEnded }
}

test('a connection that breaks is made anew, and no byte is missing or heard twice', async () => {
  const held = await hold('stty -echo; while read line; do seq 1 1000; echo "<$line>"; done')
  const { follower, text, isEnded } = await followed(held)
  for (const word of ['one', 'two', 'three']) {
    const { connection } = follower
    follower.reach().write(Buffer.from(`${word}\r`))
    connection!.close()
    await until(() => follower.connection !== connection && follower.connection !== undefined)
    await until(() => text().includes(`<${word}>`))
  }
  expect(text()).toBe(readAll(held.journal).toString())
  expect(follower.life.is).toBe('running')
  expect(isEnded()).toBe(false)
})

test('one that breaks again and again is given up, and the holder is left alone', async () => {
  const held = await hold('read line')
  const { follower, isEnded } = await followed(held)
  await until(() => {
    follower.connection?.close()
    return isEnded()
  })
  expect(follower.life).toEqual({ is: 'lost' })
  expect((await connectTo(held)).hello.childPid).toBe(held.notice.childPid)
})

test('one that lives and cannot be reached for a while is told of, and not given up', async () => {
  const held = await hold('read line; echo "<$line>"; read line')
  const { follower, text, faults, isEnded } = await followed(held)
  const moved = `${held.socket}.moved`
  renameSync(held.socket, moved)
  // Whoever connects to it hears ELOOP, which is neither "no such file" nor "nobody there".
  symlinkSync(held.socket, held.socket)
  follower.connection!.close()
  await until(() => faults.length > 0)
  expect(faults[0]).toMatch(/cannot be reached now: .*ELOOP/)
  expect(follower.life.is).toBe('running')
  expect(() => follower.reach()).toThrow('being made anew')

  renameSync(moved, held.socket)
  await until(() => follower.connection)
  expect(faults.at(-1)).toBeUndefined()
  follower.reach().write(Buffer.from('still here\r'))
  await until(() => text().includes('<still here>'))
  expect(isEnded()).toBe(false)
})

test('an end that the holder could not tell any more is read from what it left', async () => {
  const held = await hold('read line; exit 5')
  const { follower, isEnded } = await followed(held)
  follower.reach().write(Buffer.from('\r'))
  await untilExit(held)
  follower.connection?.close()
  await until(isEnded)
  expect(follower.life).toMatchObject({ is: 'exited', code: 5 })
})
