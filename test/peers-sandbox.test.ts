/** A confined agent does not get out of its sandbox by asking an agent that is not confined. */
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { requiresAll } from './harness/requires.ts'
import { startPeersWorld } from './worlds/peers-world.ts'

requiresAll('bwrap', 'socat').describe('agents that ask agents', () => {
  test('a confined agent may ask only confined agents, and every agent may ask it', async () => {
    await using world = await startPeersWorld()
    const sandbox = { write: [join(dirname(world.home), 'notes')], network: 'none' }
    await world.agent('open')
    await world.agent('boxed', { sandbox })
    await world.agent('boxed-too', { sandbox })
    const ask = async (from: string, session: string) =>
      world.raw(await world.endpointOf(from), 'tools/call', {
        name: 'sessions_ask',
        arguments: { session, text: 'SAY here' },
      })
    expect(await ask('boxed', 'open')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('"boxed" is confined and "open" is not') }],
    })
    expect(await ask('boxed', 'boxed-too')).toMatchObject({ structuredContent: { answer: 'here\n' } })
    expect(await ask('open', 'boxed')).toMatchObject({ structuredContent: { answer: 'here\n' } })
  })
})
