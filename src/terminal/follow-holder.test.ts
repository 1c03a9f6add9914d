import { expect, test } from 'vitest'
import type { HeldProgram } from '../../test/fixtures/held-program.ts'
import { connectTo, hold, readAll, untilExit } from '../../test/fixtures/held-program.ts'
import { until } from '../../test/fixtures/until.ts'
import type { HolderFollower } from './follow-holder.ts'
import { followHolder } from './follow-holder.ts'

async function followed(held: HeldProgram) {
  const heard: Buffer[] = []
  let isEnded = false
  const text = () => Buffer.concat(heard).toString()
  const follower: HolderFollower = followHolder({
    ...held,
    connection: await connectTo(held),
    listeners: {
      offset: () => Buffer.concat(heard).length,
      onOutput: (_, bytes) => void heard.push(Buffer.from(bytes)),
      onResize: () => {},
      onFault: () => {},
      onEnd: () => (isEnded = true),
    },
  })
  follower.attach()
  return { follower, text, isEnded: () => isEnded }
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

test('an end that the holder could not tell any more is read from what it left', async () => {
  const held = await hold('read line; exit 5')
  const { follower, isEnded } = await followed(held)
  follower.reach().write(Buffer.from('\r'))
  await untilExit(held)
  follower.connection?.close()
  await until(isEnded)
  expect(follower.life).toMatchObject({ is: 'exited', code: 5 })
})
