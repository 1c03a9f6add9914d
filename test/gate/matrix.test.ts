/**
 * Decision × answer × path × way in × the client leaves early. A call that was denied, has expired or was abandoned
 * never runs. An approved call runs once.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectLegacy } from '../http/legacy-connection.ts'
import { patience } from '../worlds/own-hub.ts'
import { type AgentClient, connectAgent, type Era, followByStream } from './attempts.ts'
import { type GateWorld, startGateWorld } from '../worlds/gate-world.ts'
import { aResource, aTool, followedByATool, type Path, paths } from './paths.ts'
import { waysIn } from './ways-in.ts'

const eras: readonly Era[] = ['legacy', 'modern']
const byPolicy = [
  ['allow', 'ran', 1],
  ['deny', 'denied', 0],
  ['abort', 'aborted', 0],
] as const
const byPerson = [
  ['approve', 'ran', 1],
  ['deny', 'denied', 0],
  ['abort', 'aborted', 0],
] as const
const only = (effect: string, { tool }: Path) => `default: allow\nrules:\n  - ${effect}: "${tool}"\n`

describe('a call that is held', () => {
  let world: GateWorld
  beforeAll(async () => {
    world = await startGateWorld({ SIGNALBOX_APPROVAL_HOLD: '30' })
    await world.setPolicy('default: allow')
    await using agent = await connectAgent(world.agent, 'modern')
    await agent.attempt(aTool).outcome
    world.deeds()
  })
  afterAll(() => world[Symbol.asyncDispose]())
  afterEach(async () => {
    const left = (await world.call('list_approvals'))['approvals'] as { id: string }[]
    for (const { id } of left) await world.decide(id, 'deny')
  })
  const deedsOf = async ({ at }: Path) => (at === 'terminal' ? world.typed() : world.deeds())

  describe.each(waysIn)('$name', (way) => {
    let agent: AgentClient
    beforeAll(async () => {
      agent = await way.connect(world)
    })
    afterAll(() => agent[Symbol.asyncDispose]())

    describe.each(way.paths)('$name', (path) => {
      afterEach(async () => {
        if (path.undo) await agent.attempt(path.undo).outcome
      })

      // The answers to a decision do not depend on who made it, so only the first path of a way gets all of them twice.
      const isFirst = path === way.paths[0]

      test.each(isFirst ? byPolicy : byPolicy.filter(([effect]) => effect === 'deny'))(
        'is decided as %s and ends as "%s"',
        async (effect, outcome, deeds) => {
          await world.setPolicy(only(effect, path))
          expect(await agent.attempt(path).outcome).toBe(outcome)
          expect(await deedsOf(path)).toHaveLength(deeds)
        },
      )

      test.each(isFirst ? byPerson : byPerson.filter(([decision]) => decision !== 'deny'))(
        'waits for a person who decides %s, and ends as "%s"',
        async (decision, outcome, deeds) => {
          await world.setPolicy(only('ask', path))
          const { outcome: pending } = agent.attempt(path)
          const id = await world.pending()
          expect(await deedsOf(path)).toEqual([])
          await world.decide(id, decision)
          expect(await pending).toBe(outcome)
          expect(await deedsOf(path)).toHaveLength(deeds)
        },
      )

      test.each(isFirst ? way.leavings : way.leavings.slice(0, 1))(
        'cannot run any more after its client left (%s) while a person was asked',
        async (leave) => {
          await world.setPolicy(only('ask', path))
          await using own = leave === 'cut' ? await way.connect(world) : undefined
          const attempt = (own ?? agent).attempt(path, { takesStreams: false })
          const id = await world.pending()
          await attempt[leave]()
          expect(['left', 'cancelled']).toContain(await attempt.outcome)
          await expect.poll(() => world.statusOf(id), patience).toBe('abandoned')
          expect(await world.decide(id, 'approve')).toContain('abandoned')
          expect(await deedsOf(path)).toEqual([])
        },
      )
    })
  })

  test('a call of a legacy client that is cut off in the middle of a stream runs once, and the client can fetch its answer', async () => {
    await world.setPolicy(only('ask', aTool))
    const connection = await connectLegacy(world.agent)
    const stream = await connection.stream('tools/call', { ...aTool.params, _meta: { progressToken: 'alive' } })
    await stream.message()
    const id = await world.pending()
    stream.close()
    await world.decide(id, 'approve')
    using resumed = await connection.listen(stream.lastId)
    expect(await resumed.message()).toMatchObject({ result: { content: [{ text: 'done' }] } })
    expect(world.deeds()).toHaveLength(1)
    expect(await world.statusOf(id)).toBe('consumed')
  })

  describe('a resource followed by a stream, which cannot wait for a person', () => {
    const follow = () => followByStream(world.agent, 'count://thing')

    test.each([
      ['allow', 'ran', 1],
      ['deny', 'denied', 0],
      ['abort', 'denied', 0],
      ['ask', 'denied', 0],
    ])('is decided as %s and ends as "%s"', async (effect, outcome, deeds) => {
      await world.setPolicy(only(effect, aResource))
      expect(await follow()).toBe(outcome)
      expect(world.deeds()).toHaveLength(deeds)
      expect((await world.call('list_approvals'))['approvals']).toEqual([])
    })

    test('is followed if a person has approved it for the session before', async () => {
      await world.setPolicy(only('ask', aResource))
      await using agent = await connectAgent(world.agent, 'modern')
      const { outcome } = agent.attempt(aResource)
      await world.decide(await world.pending(), 'approve', { scope: 'session' })
      expect(await outcome).toBe('ran')
      world.deeds()
      expect(await follow()).toBe('ran')
      expect(world.deeds()).toHaveLength(1)
      const { grants } = await world.call('list_grants')
      for (const { id } of grants as { id: string }[]) await world.call('revoke_grant', { id })
      expect(await follow()).toBe('denied')
      expect(world.deeds()).toEqual([])
    })
  })
})

describe('an approval without an answer', () => {
  let world: GateWorld
  beforeAll(async () => {
    world = await startGateWorld({ SIGNALBOX_APPROVAL_HOLD: '30', SIGNALBOX_APPROVAL_EXPIRY: '0.2' })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each(eras)('%s: is denied when it expires, and cannot run after a late answer', async (era) => {
    await using agent = await connectAgent(world.agent, era)
    await world.setPolicy(only('ask', aTool))
    expect(await agent.attempt(aTool).outcome).toBe('denied')
    const { approvals } = await world.call('list_approvals', { status: 'expired', limit: 1 })
    const [{ id, tool }] = approvals as [{ id: string; tool: string }]
    expect(tool).toBe(aTool.tool)
    expect(await world.decide(id, 'approve')).toContain('expired')
    expect(world.deeds()).toEqual([])
  })
})

describe('when no person answers during the hold', () => {
  let world: GateWorld
  beforeAll(async () => {
    world = await startGateWorld({ SIGNALBOX_APPROVAL_HOLD: '0.1' })
    await world.setPolicy('default: ask')
  })
  afterAll(() => world[Symbol.asyncDispose]())
  const deedsOf = async ({ at }: Path) => (at === 'terminal' ? world.typed() : world.deeds())

  describe.each(eras)('%s', (era) => {
    let agent: AgentClient
    beforeAll(async () => {
      agent = await connectAgent(world.agent, era)
    })

    test.each(paths.filter((path) => path !== followedByATool))(
      '$name waits, creates one approval, and runs once when the call is made again',
      async (path) => {
        await world.setPolicy(only('ask', path))
        expect(await agent.attempt(path).outcome).toBe('waiting')
        const id = await world.pending()
        expect(await agent.attempt(path).outcome).toBe('waiting')
        expect(await world.pending()).toBe(id)
        expect(await deedsOf(path)).toEqual([])

        expect(await world.decide(id, 'approve')).toBe('approved')
        expect(await agent.attempt(path).outcome).toBe('ran')
        expect(await deedsOf(path)).toHaveLength(1)
        expect(await world.statusOf(id)).toBe('consumed')

        expect(await agent.attempt(path).outcome).toBe('waiting')
        const next = await world.pending()
        expect(next).not.toBe(id)
        await world.decide(next, 'deny', { reason: 'not again' })
        expect(await agent.attempt(path).outcome).toBe('denied')
        expect(await deedsOf(path)).toEqual([])
      },
    )

    test('the trace of the approval and of each call shows all calls and the outcome', async () => {
      await world.setPolicy(only('ask', aTool))
      expect(await agent.attempt(aTool).outcome).toBe('waiting')
      const id = await world.pending()
      expect(await agent.attempt(aTool).outcome).toBe('waiting')
      await world.decide(id, 'approve')
      expect(await agent.attempt(aTool).outcome).toBe('ran')
      const { spans } = await world.call('get_trace', { correlation: id })
      expect(spans).toMatchObject([
        {
          type: 'tool-called',
          spans: [
            { type: 'approval-requested' },
            { type: 'tool-answered', payload: { outcome: 'waiting' } },
            { type: 'approval-decided' },
            { type: 'approval-consumed' },
          ],
        },
        { type: 'tool-called', spans: [{ type: 'tool-answered', payload: { outcome: 'waiting' } }] },
        { type: 'tool-called', spans: [{ type: 'tool-answered', payload: { outcome: 'ok', approval: id } }] },
      ])
      const correlations = (spans as { correlation: string }[]).map(({ correlation }) => correlation)
      expect(new Set(correlations).size).toBe(3)
      for (const correlation of correlations) {
        expect((await world.call('get_trace', { correlation }))['spans']).toEqual(spans)
      }
      expect(world.deeds()).toHaveLength(1)
    })

    test('an approval requested under an earlier policy does not count, and its call is decided again', async () => {
      await world.setPolicy(only('ask', aTool))
      expect(await agent.attempt(aTool).outcome).toBe('waiting')
      const id = await world.pending()
      await world.setPolicy(only('deny', aTool))
      expect(await world.decide(id, 'approve')).toContain('abandoned')
      expect(await agent.attempt(aTool).outcome).toBe('denied')
      expect(world.deeds()).toEqual([])
    })

    test('a call that waits when the hub is killed can still be approved, and runs once', async () => {
      await world.setPolicy(only('ask', aTool))
      expect(await agent.attempt(aTool).outcome).toBe('waiting')
      const id = await world.pending()
      await world.restart('SIGKILL')
      expect(await world.decide(id, 'approve')).toBe('approved')
      await world.restart('SIGKILL')
      expect(await agent.attempt(aTool).outcome).toBe('ran')
      expect(world.deeds()).toEqual(['tools/call Act-Now'])
      expect(await agent.attempt(aTool).outcome).toBe('waiting')
      expect(world.deeds()).toEqual([])
      await world.decide(await world.pending(), 'deny')
      expect(await agent.attempt(aTool).outcome).toBe('denied')
    })
  })
})
