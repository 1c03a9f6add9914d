/** A well-behaved client that works while other clients misbehave. It must not notice them. */
import { expect } from 'vitest'
import { connectLegacy } from './legacy-connection.ts'
import type { OwnHub } from '../worlds/own-hub.ts'

export interface Bystander extends AsyncDisposable {
  /** Fails if anything went wrong so far, and waits for one more round of work. */
  undisturbed(): Promise<void>
}

export async function startBystander(hub: OwnHub): Promise<Bystander> {
  const connection = await connectLegacy(hub)
  const uri = `test://counter/${connection.id}`
  await connection.request('resources/subscribe', { uri })
  const notices = await connection.listen()
  let rounds = 0
  let isOver = false

  /** Changes a resource, waits for the notice and reads the resource. */
  async function round(): Promise<void> {
    await hub.call('test_change', { uris: [uri] })
    expect(await notices.message()).toMatchObject({ params: { uri } })
    const read = await connection.request('resources/read', { uri })
    rounds++
    expect(read).toMatchObject({ result: { contents: [{ text: String(rounds) }] } })
  }

  const work = (async () => {
    while (!isOver) await round()
  })()
  work.catch(() => {})

  return {
    async undisturbed() {
      const target = rounds + 1
      while (rounds < target) await Promise.race([work, new Promise((resolve) => setTimeout(resolve, 5))])
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      await work
      notices.close()
    },
  }
}
