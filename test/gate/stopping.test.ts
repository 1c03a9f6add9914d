/** A hub that stops answers every waiting call. */
import { expect, test } from 'vitest'
import { connectAgent, type Era } from './attempts.ts'
import { startGateWorld } from '../worlds/gate-world.ts'
import { aTool } from './paths.ts'

test.each<Era>(['legacy', 'modern'])(
  'a %s call that waits for a person is told to come back, and has not run',
  async (era) => {
    await using world = await startGateWorld({ SIGNALBOX_APPROVAL_HOLD: '600' })
    await world.setPolicy('default: ask')
    const agent = await connectAgent(world.agent, era)
    const { outcome } = agent.attempt(aTool)
    const id = await world.pending()
    await world.restart('SIGTERM')
    expect(await outcome).toBe('waiting')
    expect(world.deeds()).toEqual([])
    expect(await world.decide(id, 'approve')).toBe('approved')
    expect(await agent.attempt(aTool).outcome).toBe('ran')
    expect(world.deeds()).toEqual(['tools/call Act-Now'])
  },
)
