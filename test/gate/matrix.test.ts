/**
 * Decision × answer × path × era × the client leaves early. What was denied, has expired or was abandoned never reaches
 * the upstream; what was approved reaches it once.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type AgentClient, connectAgent, type Era, lettingGo, paths } from './attempts.ts'
import { type GateWorld, startGateWorld } from './gate-world.ts'

const eras: readonly Era[] = ['legacy', 'modern']

describe.each(eras)('%s', (era) => {
  let world: GateWorld
  let agent: AgentClient
  beforeAll(async () => {
    world = await startGateWorld({ SIGNALBOX_APPROVAL_HOLD: '30' })
    agent = await connectAgent(world.agent, era)
    await world.setPolicy('default: allow')
    await agent.attempt(paths[0]!).outcome
    world.deeds()
  })
  afterAll(() => world[Symbol.asyncDispose]())
  afterEach(async () => {
    const left = (await world.call('list_approvals'))['approvals'] as { id: string }[]
    for (const { id } of left) await world.decide(id, 'deny')
    // What is followed already needs no second word to the upstream.
    await agent.attempt(lettingGo).outcome
    world.deeds()
  })

  describe.each(paths)('$name', (path) => {
    const only = (effect: string) => `default: allow\nrules:\n  - ${effect}: "${path.tool}"\n`

    test.each([
      ['allow', 'ran', 1],
      ['deny', 'denied', 0],
      ['abort', 'aborted', 0],
    ])('%s: %s', async (effect, outcome, deeds) => {
      await world.setPolicy(only(effect))
      expect(await agent.attempt(path).outcome).toBe(outcome)
      expect(world.deeds()).toHaveLength(deeds)
    })

    test.each([
      ['approve', 'ran', 1],
      ['deny', 'denied', 0],
      ['abort', 'aborted', 0],
    ])('ask, and a person says %s: %s', async (decision, outcome, deeds) => {
      await world.setPolicy(only('ask'))
      const { outcome: pending } = agent.attempt(path)
      const id = await world.pending()
      expect(world.deeds()).toEqual([])
      await world.decide(id, decision)
      expect(await pending).toBe(outcome)
      expect(world.deeds()).toHaveLength(deeds)
    })

    test('ask, and the client leaves: nobody can let it run any more', async () => {
      await world.setPolicy(only('ask'))
      const attempt = agent.attempt(path)
      const id = await world.pending()
      await attempt.leave()
      expect(['left', 'cancelled']).toContain(await attempt.outcome)
      await expect.poll(() => world.statusOf(id)).toBe('abandoned')
      expect(await world.decide(id, 'approve')).toContain('abandoned')
      expect(world.deeds()).toEqual([])
    })
  })
})

describe.each(eras)('%s, when nobody answers in time', (era) => {
  let world: GateWorld
  let agent: AgentClient
  beforeAll(async () => {
    world = await startGateWorld({ SIGNALBOX_APPROVAL_HOLD: '0.3' })
    agent = await connectAgent(world.agent, era)
    await world.setPolicy('default: ask')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each(paths.filter(({ params }) => params['name'] !== 'resources_subscribe'))(
    '$name waits, is not asked for twice, and runs once when it comes again',
    async (path) => {
      await world.setPolicy(`default: allow\nrules:\n  - ask: "${path.tool}"\n`)
      expect(await agent.attempt(path).outcome).toBe('waiting')
      const id = await world.pending()
      expect(await agent.attempt(path).outcome).toBe('waiting')
      expect(await world.pending()).toBe(id)
      expect(world.deeds()).toEqual([])

      expect(await world.decide(id, 'approve')).toBe('approved')
      expect(await agent.attempt(path).outcome).toBe('ran')
      expect(world.deeds()).toHaveLength(1)
      expect(await world.statusOf(id)).toBe('consumed')

      expect(await agent.attempt(path).outcome).toBe('waiting')
      const next = await world.pending()
      expect(next).not.toBe(id)
      await world.decide(next, 'deny', { reason: 'not again' })
      expect(await agent.attempt(path).outcome).toBe('denied')
      expect(world.deeds()).toEqual([])
    },
  )

  test('a question of an earlier policy is not answered any more: its call is judged anew', async () => {
    const [path] = paths
    await world.setPolicy(`default: allow\nrules:\n  - ask: "${path!.tool}"\n`)
    expect(await agent.attempt(path!).outcome).toBe('waiting')
    const id = await world.pending()
    await world.setPolicy(`default: allow\nrules:\n  - deny: "${path!.tool}"\n`)
    expect(await world.decide(id, 'approve')).toContain('abandoned')
    expect(await agent.attempt(path!).outcome).toBe('denied')
    expect(world.deeds()).toEqual([])
  })

  test('what waits when the hub is killed can still be approved, and runs once', async () => {
    const [path] = paths
    await world.setPolicy(`default: allow\nrules:\n  - ask: "${path!.tool}"\n`)
    expect(await agent.attempt(path!).outcome).toBe('waiting')
    const id = await world.pending()
    await world.restart('SIGKILL')
    expect(await world.decide(id, 'approve')).toBe('approved')
    await world.restart('SIGKILL')
    expect(await agent.attempt(path!).outcome).toBe('ran')
    expect(world.deeds()).toEqual(['tools/call Act-Now'])
    expect(await agent.attempt(path!).outcome).toBe('waiting')
    expect(world.deeds()).toEqual([])
    await world.decide(await world.pending(), 'deny')
  })
})
