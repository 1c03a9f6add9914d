/**
 * The gate decides on the arguments that are sent: no argument reaches an upstream that the policy and the person did
 * not see.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { modern } from '../http/modern-request.ts'
import { hello, openSsePair } from '../http/sse-pair.ts'
import { connectAgent } from './attempts.ts'
import { type GateWorld, startGateWorld } from '../worlds/gate-world.ts'
import { aTool, type Path, typingAtTheSocket } from './paths.ts'
import { namesIn } from './questions.ts'
import { type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'
import { waysIn } from './ways-in.ts'

/** Parsed from JSON, because in an object literal `__proto__` is not a key. */
const hidden = JSON.parse('{"dir": "x", "__proto__": {"force": true}}') as Record<string, unknown>

describe('a call with the key "__proto__"', () => {
  let world: GateWorld
  beforeAll(async () => {
    world = await startGateWorld()
    await world.setPolicy('default: allow')
    await using agent = await connectAgent(world.agent, 'modern')
    await agent.attempt(aTool).outcome
    world.deeds()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const completion = { ref: { type: 'ref/prompt', name: 'up_hello' }, argument: { name: 'a', value: 'b', ...hidden } }
  const disguised: readonly Path[] = [
    { ...aTool, params: { ...aTool.params, arguments: hidden } },
    { ...aTool, name: 'a tool, deep inside', params: { ...aTool.params, arguments: { list: [{ deep: hidden }] } } },
    {
      ...aTool,
      name: 'call_tool',
      params: { name: 'call_tool', arguments: { ...aTool.params, arguments: hidden } },
    },
    { ...aTool, name: 'a prompt', method: 'prompts/get', params: { name: 'up_hello', arguments: hidden } },
    { ...aTool, name: 'a resource', method: 'resources/read', params: { uri: 'count://thing', ...hidden } },
    { ...aTool, name: 'a method of its own', method: 'custom/deed', params: hidden },
    { ...aTool, name: 'a completion', method: 'completion/complete', params: completion },
    { ...aTool, name: 'an answer', params: { ...aTool.params, inputResponses: { a: { content: hidden } } } },
  ]

  describe.each(waysIn)('$name', (way) => {
    const tried = way.paths.includes(typingAtTheSocket)
      ? [{ ...typingAtTheSocket, params: { name: 'send_text', arguments: { text: 'hello\r', ...hidden } } }]
      : // The relay passes on every message unchanged.
        disguised.slice(0, way.name.includes('relay') ? 2 : undefined)
    test.each(tried)('is refused before the policy decides: $name', async (path) => {
      await using agent = await way.connect(world)
      expect(await agent.attempt(path).outcome).toBe('error -32602')
      expect(world.deeds()).toEqual([])
      expect(await world.typed()).toEqual([])
    })
  })

  test('is refused by the /sse endpoints too', async () => {
    using pair = await openSsePair(world.agent)
    await pair.post(hello)
    await pair.stream.message()
    await pair.post({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { ...aTool.params, arguments: hidden } })
    expect(await pair.stream.message()).toMatchObject({ id: 7, error: { code: -32602 } })
    expect(world.deeds()).toEqual([])
  })

  test('is refused, and so is a call with too many members', async () => {
    await using agent = await connectAgent(world.agent, 'modern')
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${index}`, index]))
    expect(await agent.attempt({ ...aTool, params: { ...aTool.params, arguments: many } }).outcome).toBe('error -32602')
    expect(world.deeds()).toEqual([])
  })
})

describe('arguments', () => {
  let world: ScriptedWorld
  let agent: Target
  let up: ScriptedUpstream
  beforeAll(async () => {
    world = await startScriptedWorld()
    agent = await world.session('agent')
    up = await world.upstream('up')
    await world.bind('agent', 'up')
    await until(async () => namesIn(await modern(agent, 'tools/list')).includes('up_script'))
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const others = { steps: [], constructor: { a: 1 }, prototype: 2, toString: 3, hasOwnProperty: [{ valueOf: null }] }

  test('arguments that have the names of built-in object members are decided, recorded and sent unchanged', async () => {
    await modern(agent, 'tools/call', { name: 'up_script', arguments: others })
    expect(up.received('tools/call').at(-1)?.params?.['arguments']).toEqual(others)
    const recorded = await world.events({ type: 'tool-called' })
    expect(recorded.at(-1)?.payload['arguments']).toEqual(others)
  })

  test.each(Object.keys(others).slice(1))('are seen by a condition on "%s"', async (name) => {
    const rule = (when: object) =>
      world.call('set_policy', {
        source: `default: allow\nrules: [{ deny: up_script, when: ${JSON.stringify(when)} }]`,
      })
    const codeOf = async (args: object) => {
      const { body } = await modern(agent, 'tools/call', { name: 'up_script', arguments: { steps: [], ...args } })
      return (body as { error?: { code: number } }).error?.code
    }
    await rule({ required: [name] })
    expect(await codeOf({ [name]: 1 })).toBe(-32951)
    expect(await codeOf({})).toBeUndefined()
    await rule({ not: { properties: { steps: {} }, additionalProperties: false } })
    expect(await codeOf({ [name]: 1 })).toBe(-32951)
    expect(await codeOf({})).toBeUndefined()
  })

  test('arguments that the client left out are left out for the upstream too', async () => {
    await world.call('set_policy', { source: 'default: allow' })
    await modern(agent, 'tools/call', { name: 'up_script' })
    expect(up.received('tools/call').at(-1)?.params).not.toHaveProperty('arguments')
  })
})
