/** Agents that ask agents, over real MCP. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asking, calling, type PeersWorld, startPeersWorld } from './worlds/peers-world.ts'

let world: PeersWorld
beforeAll(async () => {
  world = await startPeersWorld()
  for (const name of ['a', 'b', 'c', 'd']) await world.agent(name)
})
afterAll(() => world[Symbol.asyncDispose]())

test('an agent asks another and gets its answer, under one correlation, with the chain in the record', async () => {
  const { answer, status } = await world.prompt('a', ['lead', asking('b', ['help', 'SAY forty-two'])])
  expect({ answer, status }).toEqual({ answer: expect.stringContaining('forty-two'), status: 'completed' })

  const [started] = await world.events({ type: 'turn-started', session: 'b' })
  expect(started).toMatchObject({ payload: { chain: ['a', 'b'] }, route: 'session:b' })
  const chain = await world.events({ correlation: started?.correlation })
  expect(chain.map(({ type, payload }) => [type, payload['tool'] ?? payload['chain'] ?? payload['status']])).toEqual([
    ['tool-called', 'prompt_session'],
    ['turn-started', ['a']],
    ['tool-called', 'sessions_ask'],
    ['turn-started', ['a', 'b']],
    ['turn-ended', 'completed'],
    ['tool-answered', 'sessions_ask'],
    ['turn-ended', 'completed'],
    ['tool-answered', 'prompt_session'],
  ])
  const [prompted, turnOfA, ask, turnOfB, endOfB] = chain
  expect(turnOfA?.parent).toBe(prompted?.id)
  expect(ask?.parent).toBe(turnOfA?.id)
  expect(turnOfB?.parent).toBe(ask?.id)
  expect(endOfB?.parent).toBe(turnOfB?.id)
})

test('the answer names its route, session and thread, also in _meta', async () => {
  const asked = { name: 'sessions_ask', arguments: { session: 'b', text: 'SAY here' } }
  const result = await world.raw(await world.endpointOf('a'), 'tools/call', asked)
  const { id, thread } = await world.call('get_session', { name: 'b' })
  expect(result).toMatchObject({
    structuredContent: { answer: 'here\n', status: 'completed', route: 'session:b', session_id: id, thread_id: thread },
    _meta: { 'io.signalbox/route': 'session:b', 'io.signalbox/session': id, 'io.signalbox/thread': thread },
  })
})

test('self-calls, re-entry and chains that are too long are refused at once, with the chain', async () => {
  const agent = await world.endpointOf('a')
  const itself = await world.raw(agent, 'tools/call', {
    name: 'sessions_ask',
    arguments: { session: 'a', text: 'SAY no' },
  })
  expect(itself).toMatchObject({ isError: true, _meta: { 'io.signalbox/chain': ['a', 'a'] } })

  const back = await world.prompt('a', ['back', asking('b', ['then', asking('a', ['SAY never'])])])
  expect(back['answer']).toContain('error "b" works for "a", so it cannot ask "a": a → b → a. Go on without it.')

  const long = ['far', asking('b', ['farther', asking('c', ['SAY reached', asking('d', ['SAY never'])])])]
  const { answer } = await world.prompt('a', long)
  expect(answer).toContain('reached')
  expect(answer).toContain('(SIGNALBOX_HOP_LIMIT): a → b → c → d. Go on without it.')
  expect(world.notes()).not.toContain('begin SAY never')
})

test('a session without an agent, an unknown one and an ended one are told apart', async () => {
  await world.call('create_session', { name: 'plain', command: 'cat' })
  await world.agent('over')
  await world.call('kill_session', { name: 'over' })
  const { answer } = await world.prompt('a', [
    'three',
    asking('plain', ['x']),
    asking('nobody', ['x']),
    asking('over', ['x']),
    'CALL over_ask {"text": "x"}',
  ])
  expect(answer).toContain('"plain" has no agent whose answers the hub can read')
  expect(answer).toContain('There is no session "nobody"')
  expect(answer).toContain('"over" has ended')
  expect(answer).toContain('Unknown tool: "over_ask"')
})

test('the name of a peer is answered, not listed, and decided as sessions_code_advice with its session', async () => {
  await world.agent('second-mind')
  await world.call('set_policy', {
    scope: 'session',
    target: 'a',
    source:
      'rules:\n  - deny: sessions_code_advice\n    when: { properties: { session: { const: second-mind } }, required: [session] }',
  })
  const agent = await world.endpointOf('a')
  const { tools } = (await world.raw(agent, 'tools/list', {})) as { tools: readonly { name: string }[] }
  expect(tools.map(({ name }) => name).filter((name) => name.startsWith('sessions_'))).toEqual([
    'sessions_list',
    'sessions_ask',
    'sessions_code_advice',
    'sessions_search_web',
    'sessions_tests_generate',
    'sessions_refactor_apply',
  ])
  const { id } = await world.call('get_session', { name: 'second-mind' })
  const { answer } = await world.prompt('a', [
    'ways',
    calling('second_mind_code_advice', { text: 'why?', session: 'b' }),
    calling('sessions_second-mind_code_advice', { text: 'why?' }),
    calling('sessions_code_advice', { session: id, text: 'why?' }),
    calling('b_code_advice', { text: 'why?' }),
  ])
  expect(String(answer).match(/-32951/g)).toHaveLength(3)
  expect((await world.thread('b')).messages.findLast(({ role }) => role === 'user')).toMatchObject({
    content: [{ text: expect.stringMatching(/^Another agent asks:\n\nGive advice on code[^]*\n\nwhy\?$/) }],
  })
  await world.call('set_policy', { scope: 'session', target: 'a', source: '' })
})
